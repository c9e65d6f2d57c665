import { describe, expect, it } from 'vitest';
import type { Language } from '../language.ts';
import { SyntaxTrees } from '../syntax-tree.ts';
import type { FileComplexity } from './complexity-schema.ts';
import { measureComplexity } from './measure-complexity.ts';

const trees = new SyntaxTrees();

function measure(language: Language, text: string, path = 'sample'): Promise<FileComplexity> {
  return measureComplexity({ path, language, text }, { trees });
}

async function namesAndLines(language: Language, text: string): Promise<string[]> {
  const { functions } = await measure(language, text);
  return functions.map(({ name, start_line, end_line }) => `${name} ${start_line}-${end_line}`);
}

describe('functions', () => {
  it('are named after the classes and functions around them', async () => {
    const text = 'class A:\n  def m(self):\n    def inner(): pass\ndef f(): pass\n';
    expect(await namesAndLines('python', text)).toEqual(['A.m 2-3', 'A.m.inner 3-3', 'f 4-4']);
  });

  it('start at their keyword or name, not at a decorator or annotation', async () => {
    expect(await namesAndLines('python', '@a\n@b\ndef f():\n  pass\n')).toEqual(['f 3-4']);
    const java = 'class A {\n @Override\n @B\n public\n void f() {\n }\n}';
    expect(await namesAndLines('java', java)).toEqual(['A.f 5-6']);
    const typescript = 'class A {\n @a()\n @b\n m() {\n }\n}';
    expect(await namesAndLines('typescript', typescript)).toEqual(['A.m 4-5']);
  });

  it('without a name take that of what they are given to', async () => {
    const text =
      'const a: T = () => 1;\nb.c = function () {};\nx({ d() {}, e: () => 2 });\nrun(() => 3);\nclass K { f = () => 4 }';
    const names = (await measure('typescript', text)).functions.map(({ name }) => name);
    expect(names).toEqual(['a', 'b.c', 'd', 'e', '<anonymous>', 'K.f <initializer>', 'K.f']);
  });

  it('of Go and Rust carry the name of their type', async () => {
    const go = 'package p\nfunc (r *T[K]) M(a, b int, c ...string) {}\n';
    expect((await measure('go', go)).functions).toMatchObject([{ name: 'T.M', parameters: 3 }]);
    const rust = 'impl<T> Show for Foo<T> { fn f(&self, a: i32) {} }';
    expect((await measure('rust', rust)).functions).toMatchObject([
      { name: 'Foo.f', parameters: 2 },
    ]);
  });

  it('without a body are not listed', async () => {
    expect(
      await namesAndLines('java', 'interface A { int f(); default int g() { return 1; } }'),
    ).toEqual(['A.g 1-1']);
    expect(await namesAndLines('rust', 'trait A { fn f(&self); fn g() {} }')).toEqual(['A.g 1-1']);
  });

  it('of Java include constructors and initializer blocks', async () => {
    const text = 'class A { static { a(); } { b(); } A(int x) { } enum E { X { void f() {} } } }';
    const names = (await measure('java', text)).functions.map(({ name }) => name);
    expect(names).toEqual(['A.<static>', 'A.<init>', 'A.A', 'A.E.<anonymous>.f']);
  });

  it('tell how deep their control structures nest', async () => {
    const text = 'def f(a):\n  for b in a:\n    if b:\n      while b: pass\n  if a: pass\n';
    expect((await measure('python', text)).functions).toMatchObject([{ nesting: 3 }]);
  });
});

describe('JavaScript', () => {
  it('counts what ESLint counts', async () => {
    const text = `function f(a = 1, { b = 2 } = {}) {
      a ||= b; a?.b?.(); a ?? b; switch (a) { case 1: default: }
      try {} catch {} for (const x of a) {} do {} while (a);
    }`;
    expect((await measure('javascript', text)).functions).toMatchObject([{ cyclomatic: 12 }]);
  });

  it('counts every function alone, as SonarJS does', async () => {
    const text = 'function f(a) { if (a) { g(() => { if (a) b(); }); } }';
    expect((await measure('javascript', text)).functions).toMatchObject([
      { name: 'f', cognitive: 1 },
      { name: 'f.<anonymous>', cognitive: 1 },
    ]);
  });

  it('counts runs of && but not of || and ??, as SonarJS does', async () => {
    const text = 'function f() { return a && b && c || d && e || (g ?? h); }';
    expect((await measure('javascript', text)).functions).toMatchObject([{ cognitive: 2 }]);
  });

  it('does not count the short circuits with which JSX writes conditions', async () => {
    const text = 'const A = () => <p>{a && b && <i/>}{a && (b || c)}{a && (b ? c : d)}</p>;';
    expect((await measure('javascript', text)).functions).toMatchObject([{ cognitive: 3 }]);
  });

  it('lists static blocks and the values of class fields as ESLint reports them', async () => {
    const text = 'class A { static { if (a) b(); } x = a ? 1 : 2; }';
    expect((await measure('javascript', text)).functions).toMatchObject([
      { name: 'A.<static>', cyclomatic: 2 },
      { name: 'A.x <initializer>', cyclomatic: 2 },
    ]);
  });

  it('that cannot be parsed is an error with its place', async () => {
    await expect(measure('javascript', 'let a;\nlet = = 1;', 'a.js')).rejects.toMatchObject({
      code: 'code.syntax_error',
      details: { line: 2 },
    });
  });
});

describe('a text', () => {
  it('has the complexity of its function when it has only one', async () => {
    const text = 'def f(a):\n  if a and b:\n    return 1\n';
    expect(await measure('python', text)).toMatchObject({
      cyclomatic_complexity: 3,
      cognitive_complexity: 2,
    });
  });

  it('adds up all decisions, those outside functions too', async () => {
    const text =
      'if a: b()\ndef f(a):\n  if a: pass\nclass A:\n  def g(self):\n    while self: pass\n';
    expect(await measure('python', text)).toMatchObject({
      cyclomatic_complexity: 4,
      cognitive_complexity: 3,
    });
  });

  it('has lines of code without blank lines and comments', async () => {
    const text = '// one\n\nlet a = 1; // two\n/* three\n */ let b = /* c */ 2;\n';
    expect((await measure('javascript', text)).lines).toEqual({
      total: 5,
      code: 2,
      logical: 2,
      comment: 4,
      blank: 1,
    });
  });

  it('without operators has the best maintainability index', async () => {
    expect((await measure('python', 'a = 1\n')).maintainability_index).toBe(100);
    expect((await measure('go', '')).maintainability_index).toBe(100);
  });

  it('becomes less maintainable with every statement', async () => {
    const statement = 'x = a + b * 2\n';
    const short = await measure('python', statement.repeat(10));
    const long = await measure('python', statement.repeat(100));
    expect(long.maintainability_index).toBeLessThan(short.maintainability_index ?? 0);
  });
});

describe('SQL, HTML and CSS', () => {
  it('have no complexity but counts of what they are made of', async () => {
    const sql = `WITH a AS (SELECT 1), b (x) AS MATERIALIZED (SELECT 2 UNION SELECT 3)
      -- a comment
      SELECT CASE WHEN x THEN 1 END FROM a JOIN b ON true LEFT JOIN (SELECT (SELECT 1)) c ON true;`;
    expect(await measure('sql', sql)).toMatchObject({
      cyclomatic_complexity: null,
      cognitive_complexity: null,
      maintainability_index: null,
      lines_of_code: 2,
      structure: {
        kind: 'sql',
        statements: 1,
        selects: 6,
        joins: 2,
        subqueries: 4,
        common_table_expressions: 2,
        set_operations: 1,
        case_expressions: 1,
        nesting: 2,
      },
    });
  });

  it('count elements and their nesting, with end tags left out', async () => {
    const html =
      '<!-- c --><html><body><ul><li>a<li><p>b<p>c<br></ul><script>"<i>"</script><form a=">"></form></body></html>';
    expect((await measure('html', html)).structure).toEqual({
      kind: 'html',
      elements: 10,
      scripts: 1,
      styles: 0,
      forms: 1,
      nesting: 6,
    });
  });

  it('count rules, selectors and nested blocks', async () => {
    const css = '@media (x) { a, b > c { color: red !important; & .d { x: y } } }';
    expect((await measure('css', css)).structure).toEqual({
      kind: 'css',
      rules: 2,
      selectors: 3,
      declarations: 2,
      at_rules: 1,
      important: 1,
      nesting: 3,
    });
  });
});

describe('limits', () => {
  const levels = 10_000;

  it('measures ten thousand nested blocks', async () => {
    const go = `package p\nfunc f() {${'if a {'.repeat(levels)}${'}'.repeat(levels)}}`;
    const expected = (levels * (levels + 1)) / 2;
    expect((await measure('go', go)).functions).toMatchObject([
      { cyclomatic: levels + 1, cognitive: expected, nesting: levels },
    ]);
  });

  it('measures ten thousand nested functions without names of quadratic length', async () => {
    const rust = `${'fn f() {'.repeat(levels)}${'}'.repeat(levels)}`;
    const { functions } = await measure('rust', rust);
    expect(functions).toHaveLength(levels);
    expect(functions.at(-1)?.name.length).toBeLessThan(100);
  });

  it('measures an operator chain of thirty thousand parts', async () => {
    const java = `class A { boolean f() { return a${' && a'.repeat(30_000)}; } }`;
    expect((await measure('java', java)).functions).toMatchObject([
      { cyclomatic: 30_001, cognitive: 1 },
    ]);
  });

  it.each([
    ['functions', 'function f(){', '}'],
    ['arrays', 'x=[', ']'],
    ['operators', 'a && ', 'b'],
    ['else ifs', 'if (a) {} else ', '{}'],
    ['negations', '!', 'a'],
  ])('refuses JavaScript with a hundred thousand nested %s', async (_, before, after) => {
    const text = before.repeat(100_000) + after;
    await expect(measure('javascript', text)).rejects.toMatchObject({
      code: 'code.too_complex',
    });
  });

  it('measures twenty thousand lines of JavaScript', async () => {
    const text = 'function f(a) {\n  if (a) return 1;\n  return 2;\n}\n'.repeat(5_000);
    const { functions, lines } = await measure('javascript', text);
    expect([functions.length, lines.code]).toEqual([5_000, 20_000]);
  });
});
