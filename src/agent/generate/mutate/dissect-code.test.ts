import { describe, expect, it } from 'vitest';
import { SyntaxTrees } from '../../../toolbox/code/index.ts';
import { type ParsedLanguage } from '../language.ts';
import { dissectCode, maxFunctions, mutantText, type DissectedCode } from './dissect-code.ts';
import { sampleMutants } from './find-mutants.ts';

const parser = new SyntaxTrees();

function dissect(language: ParsedLanguage, text: string): Promise<DissectedCode> {
  return dissectCode(parser, { language, text }, 'SIGN');
}

const samples: Readonly<Record<ParsedLanguage, string>> = {
  python: [
    'class Stack:',
    '    def push(self, item):',
    '        """Puts it on top."""',
    '        self.items.append(item)',
    '        self.size = 1',
    '',
    'def grade(points):',
    '    if points:',
    '        raise ValueError("no points")',
    '    def inner(x):',
    '        return x',
    '    return "pass" if points >= 50 else inner(True)',
    '',
    'def main():',
    '    print(grade(1))',
    '',
  ].join('\n'),
  javascript: [
    'export class Stack {',
    '  push(item) { this.items.push(item); return this.items.length; }',
    '}',
    'export const twice = (x) => x * 2;',
    'export default function check(ok) {',
    '  if (ok) { return true; }',
    '  throw new Error("not " + ok);',
    '}',
    '[1].map((x) => x + 1);',
    '',
  ].join('\n'),
  typescript: [
    'export function add(a: number, b: number): number { return a + b; }',
    'const table = { half: (x: number): number => x / 2.5 };',
    'export { table };',
    '',
  ].join('\n'),
  go: [
    'package solution',
    '',
    'func (s *Stack) Push(item int) { s.items = append(s.items, item); s.count += 1 }',
    '',
    'func Greet(name string) string {',
    '\tif name == "" {',
    '\t\tpanic("no name")',
    '\t}',
    '\treturn "Hello, " + name',
    '}',
    '',
    'func main() {}',
    '',
  ].join('\n'),
  rust: [
    'impl Stack {',
    '    pub fn push(&mut self, item: i32) { self.items.push(item); }',
    '}',
    'pub fn add(a: i32, b: i32) -> i32 { if a > 0 { a + b } else { b } }',
    '#[cfg(test)]',
    'mod tests { fn helper() -> i32 { 1 } }',
    '',
  ].join('\n'),
  java: [
    'public class Solution {',
    '  public Solution() { this.count = 0; }',
    '  public int add(int a, int b) { return a + b; }',
    '  abstract int later();',
    '}',
    '',
  ].join('\n'),
};

describe('dissecting code', () => {
  it.each([
    ['python', ['Stack.push', 'grade']],
    ['javascript', ['Stack.push', 'twice', 'check']],
    ['typescript', ['add', 'table.half']],
    ['go', ['Stack.Push', 'Greet']],
    ['rust', ['Stack.push', 'add']],
    ['java', ['Solution.Solution', 'Solution.add']],
  ] as const)('finds the functions of %s that tests can call', async (language, names) => {
    const code = await dissect(language, samples[language]);
    expect(code.functions.map(({ name }) => name)).toEqual(names);
    expect(code.hasEntry).toBe(language === 'python' || language === 'go');
  });

  it.each(Object.keys(samples) as ParsedLanguage[])(
    'makes texts of %s that are still valid: with probes, broken, and with each change',
    async (language) => {
      const text = samples[language];
      const code = await dissect(language, text);
      expect(code.mutants.length).toBeGreaterThan(1);
      const texts = [
        code.broken,
        ...(code.silent === null ? [] : [code.silent]),
        code.probed,
        ...code.mutants.map((mutant) => mutantText(code, mutant)),
      ];
      for (const one of texts) {
        const tree = await parser.parse(language, one);
        expect(tree.rootNode.hasError, one).toBe(false);
        expect(one).not.toBe(text);
        tree.delete();
      }
    },
  );

  it.each<[ParsedLanguage, string, string]>([
    ['javascript', 'const f = (xs) => xs.sort();', 'xs.sort((a, b) => a - b)'],
    ['typescript', 'const f = (s: string) => s.replace("a", "b");', 's.replaceAll("a", "b")'],
    ['javascript', "const f = (s) => s.split(' ').length;", 's.split(/\\s+/)'],
    ['python', 'def f(xs):\n    return list(set(xs))\n', 'list(dict.fromkeys(xs))'],
    ['python', 'def f(s):\n    return s.split(" ")\n', 's.split()'],
    ['python', 'def f(s):\n    return s.lstrip("ab")\n', 's.removeprefix("ab")'],
    ['python', "def f(s):\n    return s.rstrip('ab')\n", "s.removesuffix('ab')"],
    ['javascript', 'const f = (o) => ({ n: o.n || 3 });', '(o.n ?? 3)'],
    ['typescript', 'const f = (o: O): string => o.name || DEFAULT;', '(o.name ?? DEFAULT)'],
    [
      'go',
      'package p\nfunc F(s string) []string { return strings.Split(s, " ") }',
      'strings.Fields(s)',
    ],
  ])(
    'finds the alternative to a call of %s that is often mistaken',
    async (language, text, other) => {
      const code = await dissect(language, text);
      const found = code.alternatives.filter(({ function: name }) => name !== '');
      expect(found.map((one) => mutantText(code, one))).toEqual([expect.stringContaining(other)]);
      expect(code.mutants.map(({ kind }) => kind)).not.toContain('alternative');
    },
  );

  it.each<[ParsedLanguage, string, readonly string[]]>([
    ['javascript', 'for (const x of xs) { n++; }', ['++']],
    ['javascript', 'for (let i = 0; i < xs.length; i++) { xs.go(); }', []],
    ['typescript', 'while (i < xs.length) { i++; left--; }', ['--']],
    ['typescript', 'do { i += 1; } while (i < 9);', []],
    ['go', 'for _, x := range xs {\n\t\tcounts[x]++\n\t}', ['++']],
    ['go', 'for i < 9 {\n\t\ti++\n\t\tleft -= 1\n\t}', ['-=']],
  ])(
    'counts the other way in %s, but for the steps of a loop: %s',
    async (language, body, from) => {
      const head = language === 'go' ? 'package a\n\nfunc f() {\n\t' : 'function f() {\n';
      const { mutants } = await dissect(language, `${head}${body}\n}\n`);
      const found = mutants.flatMap(
        ({ description }) => /"(\+\+|--|[-+]=)" became/.exec(description)?.[1] ?? [],
      );
      expect(found).toEqual(from);
    },
  );

  it('finds none where the code says what it means', async () => {
    const text =
      'const f = (xs) => xs.sort((a, b) => a - b).map((x) => x.replace(/a/g, "b") || (x && g(x)));';
    const { alternatives } = await dissect('javascript', text);
    expect(alternatives.filter(({ function: name }) => name !== '')).toEqual([]);
  });

  it('lets every function return what it is given', async () => {
    const text =
      'def a(x, y=1):\n    return x + y\n\nclass B:\n    def c(self, x):\n        return 1\n';
    const code = await dissect('python', text);
    const [identity] = code.alternatives;
    expect(identity?.description).toBe('every function returned its first argument');
    expect(identity && mutantText(code, identity)).toMatch(
      /^def a\(x, y=1\):\n {4}return x\n\nclass B:\n {4}def c\(self, x\):\n {8}return 1\n/,
    );
    const script = await dissect(
      'javascript',
      'const a = (x) => x * 2;\nconst b = ({ y }) => y;\n',
    );
    expect(script.alternatives.map((one) => mutantText(script, one))).toEqual([
      expect.stringContaining('const a = (x) => x;\nconst b = ({ y }) => y;'),
    ]);
  });

  it('breaks records of Python, which have no functions', async () => {
    const text = '@dataclass(frozen=True)\nclass A:\n    x: int = 0\n\ndef f():\n    return 1\n';
    expect((await dissect('python', text)).broken).toMatch(/^@\(lambda one: .*\)\nclass A:/);
  });

  it('does not remove locks', async () => {
    const text =
      'package p\nfunc F() { mu.Lock(); wg.Wait(); wg.Add(1); list.Add(1); mu.Unlock() }\n';
    const { mutants } = await dissect('go', text);
    expect(
      mutants.flatMap(({ kind, description }) => (kind === 'statement' ? description : [])),
    ).toEqual(['F: "list.Add(1)" was removed, line 2']);
  });

  it('lets a function of Go forget the error that it made, not one that it passes on', async () => {
    const text = [
      'package p',
      'func F(s string) (int, error) {',
      '\tn, err := strconv.Atoi(s)',
      '\tif err != nil { return 0, err }',
      '\tif s == "" { return 0, fmt.Errorf("empty") }',
      '\treturn n, nil',
      '}',
    ].join('\n');
    const { mutants } = await dissect('go', text);
    const changed = mutants.filter(({ kind }) => kind === 'return');
    expect(changed.map(({ edits: [edit] }) => edit?.text)).toEqual([
      'func(error) error { return nil }(fmt.Errorf("empty"))',
      '(n) + 1',
    ]);
  });

  it('does not change what only says that it cannot be reached', async () => {
    const text =
      'def f(x):\n    while x:\n        return 1\n    raise AssertionError("unreachable")\n';
    const { mutants } = await dissect('python', text);
    expect(mutants.map(({ description }) => description).join()).not.toContain('AssertionError');
  });

  it('changes conditions, boundaries, constants, results, statements and calls, and says where', async () => {
    const { mutants } = await dissect('python', samples.python);
    expect(mutants.map(({ kind, description }) => `${kind} ${description}`)).toEqual([
      'statement Stack.push: "self.items.append(item)" was removed, line 4',
      'statement Stack.push: "self.size = 1" was removed, line 5',
      'constant Stack.push: "1" became "2", line 5',
      'condition grade: the condition "points" became its opposite, line 8',
      'statement grade: "raise ValueError(\\"no points\\")" was removed, line 9',
      'statement grade: "raise ValueError(\\"no points\\")" became another error, line 9',
      'return grade: the result "x" was changed, line 11',
      'return grade: the result "\\"pass\\" if points >= 50 else inner(True)" was changed, line 12',
      'constant grade: "pass" became "~pass", line 12',
      'condition grade: ">=" became "<", line 12',
      'boundary grade: ">=" became ">", line 12',
      'constant grade: "50" became "51", line 12',
      'call grade: "inner(True)" became "True", line 12',
      'constant grade: "True" became "False", line 12',
    ]);
  });

  it('counts functions and both outcomes of each condition as branches', async () => {
    const { branches } = await dissect('python', samples.python);
    expect(branches.map(({ description }) => description)).toEqual([
      'Stack.push: no test calls it, line 2',
      'grade: no test calls it, line 7',
      'grade: the condition "points" is never true, line 8',
      'grade: the condition "points" is never false, line 8',
      'grade: the condition "points >= 50" is never true, line 12',
      'grade: the condition "points >= 50" is never false, line 12',
    ]);
  });

  it('asks for no call of what only says that others define it, and makes it definable', async () => {
    const text =
      'class Shape(ABC):\n    @abstractmethod\n    def area(self):\n        """Area."""\n';
    const { branches, silent } = await dissect('python', text);
    expect(branches).toEqual([]);
    expect(silent).not.toContain('abstractmethod');
  });

  it.each<[ParsedLanguage, string, readonly string[]]>([
    ['go', 'if err := g(); err != nil {\n\t\treturn err\n\t}\n\treturn nil', ['+', '-']],
    ['go', 'if err := g(); err != nil {\n\t\tclose()\n\t\treturn err\n\t}\n\treturn nil', ['-']],
    ['go', 'if n > 3 {\n\t\treturn nil\n\t}\n\treturn nil', []],
    ['typescript', 'for (;;) { if (node === undefined) break; next(node); }', ['+', '-']],
    ['typescript', 'if (limit !== undefined) { cut(limit); }', ['-']],
    ['typescript', 'if (a === null || b > 2) return 1;', []],
  ])('knows guards of %s: %s', async (language, body, outcomes) => {
    const head = language === 'go' ? 'package a\n\nfunc f() error {\n\t' : 'function f() {\n';
    const { branches } = await dissect(language, `${head}${body}\n}\n`);
    const guards = branches.filter(({ isGuard }) => isGuard);
    expect(guards.map(({ id }) => id.slice(-1))).toEqual(outcomes);
  });

  it('leaves out changes of the bound of an absolute value, which change nothing', async () => {
    const text =
      'package a\n\nfunc Abs(a int) int {\n\tif a < 0 {\n\t\treturn -a\n\t}\n\treturn a\n}\n';
    const { mutants } = await dissect('go', text);
    expect(mutants.filter(({ kind }) => kind === 'boundary' || kind === 'constant')).toEqual([]);
    expect(mutants.filter(({ kind }) => kind === 'condition')).toHaveLength(1);
  });

  it.each<[ParsedLanguage, string]>([
    ['python', 'def f(a):\n    return list(dict.fromkeys(a))\n'],
    ['python', 'def f(a):\n    found = []\n    found.append(a)\n    return found\n'],
    ['python', 'def f(a) -> list[int]:\n    return g(a)\n'],
    ['javascript', 'export const f = (a) => a.map((b) => b + 1);\n'],
    ['typescript', 'export function f(a: number): number[] {\n  return g(a);\n}\n'],
  ])('changes what is in a collection, too, in %s: %s', async (language, text) => {
    const { mutants } = await dissect(language, text);
    const kinds = mutants.filter(({ kind }) => kind === 'return').map((one) => one.description);
    expect(kinds).toEqual([
      expect.stringContaining('the result'),
      expect.stringContaining('what is in'),
    ]);
  });

  it('leaves out boundaries that change nothing', async () => {
    const text = 'export const max = (a, b) => (a > b ? a : b);\n';
    const { mutants } = await dissect('javascript', text);
    expect(mutants.map(({ kind }) => kind)).toEqual(['return', 'condition']);
  });

  it('plants in Rust what compiles and changes something', async () => {
    const text =
      'pub fn f(x: i32, low: i32) -> Option<i32> {\n    if x < low { return Some(low); }\n    Some(x)\n}\n';
    const { mutants } = await dissect('rust', text);
    expect(mutants.map(({ description }) => description)).toEqual(['f: "<" became ">=", line 2']);
  });

  it('samples over branches and kinds', async () => {
    const { mutants } = await dissect('python', samples.python);
    const sample = sampleMutants(mutants, 4);
    expect(new Set(sample.map(({ branch }) => branch)).size).toBe(4);
    expect(sampleMutants(mutants, 100)).toEqual(mutants);
  });

  it('does not confuse names of the code with those of objects', async () => {
    const { mutants } = await dissect(
      'javascript',
      'const f = (toString) => constructor + valueOf;\n',
    );
    expect(mutants.map(({ kind }) => kind)).toEqual(['return', 'arithmetic']);
  });

  it('leaves numbers and conditions alone that it cannot change', async () => {
    const text = 'pub fn f(x: Option<i32>) -> u32 { if let Some(y) = x { 1u32 } else { 0x10 } }\n';
    expect((await dissect('rust', text)).mutants).toEqual([]);
  });

  it('looks at so many functions and not more', async () => {
    const text = Array.from(
      { length: maxFunctions + 9 },
      (_, n) => `def f${n}():\n    return ${n}\n`,
    );
    const code = await dissect('python', text.join('\n'));
    expect(code.functions).toHaveLength(maxFunctions);
  });

  it('gets through deep nesting', async () => {
    const text = `def f(x):\n    return ${'('.repeat(5_000)}x${')'.repeat(5_000)}\n`;
    const code = await dissect('python', text);
    expect(code.mutants.length).toBeGreaterThan(0);
  });
});
