import { describe, expect, it } from 'vitest';
import { languages, type Language } from '../language.ts';
import { lintFile } from './lint-file.ts';
import { looksUpNames } from './lint-python.ts';
import { aLintSetup, aLinter } from '../../../../testkit/toolbox/code/lint/lint-text.ts';
import { chooseStyleGuide, profileOf } from '../language.ts';

describe('Python by Ruff', () => {
  const python = aLinter('python', 'sample.py');

  it('gives a bare except, a mutable default and an unused import their severities', async () => {
    const text = 'import os\n\n\ndef f(a=[]):\n    try:\n        a()\n    except:\n        a = 1\n';
    const found = await python.lint(text);
    const severities = Object.fromEntries(found.map(({ rule, severity }) => [rule, severity]));
    expect(severities).toMatchObject({
      'python/E722': 'major',
      'python/B006': 'major',
      'python/F401': 'minor',
    });
  });

  it('offers a safe fix only for rules that keep behaviour', async () => {
    const found = await python.lint('import os\n\n\ndef f(a):\n    return a == None\n');
    const fixable = found.filter(({ safeFix }) => safeFix).map(({ rule }) => rule);
    expect(fixable).toEqual(['python/F401']);
  });

  it('keeps the imports of a package and what a comment is attached to', async () => {
    const ofPackage = aLinter('python', 'package/__init__.py');
    const fixes = (found: Awaited<ReturnType<typeof python.lint>>) =>
      found.filter(({ safeFix }) => safeFix);
    expect(fixes(await ofPackage.lint('import os\n'))).toEqual([]);
    expect(fixes(await python.lint('import os  # for its side effect\n'))).toEqual([]);
  });

  const fixesOf = async (text: string): Promise<string[]> =>
    (await python.lint(text)).flatMap(({ rule, safeFix }) => (safeFix ? [rule] : []));

  it.each([
    's = """a   \nb"""\n',
    's = """a\n   \nb"""\n',
    "s = f'''a {1 + 1}   \nb'''\n",
    's = ("é👩" "x", r"""a   \nb""")\n',
    'def f():\n    return """\n    a   \n    """\n',
  ])('leaves the space in a string alone: %j', async (text) => {
    expect((await python.rules(text)).join()).toMatch(/python\/W29[13]/);
    expect(await fixesOf(text)).toEqual([]);
  });

  it('takes away the space after a string and in a comment', async () => {
    expect(await fixesOf('s = """é\n"""   \n# a   \n   \nt = 1\n')).toEqual([
      'python/W291',
      'python/W291',
      'python/W293',
    ]);
  });

  it.each([
    'print(eval("os.name"))',
    'exec(code)',
    'print(globals()["os"])',
    'f(**locals())',
    'vars()["os"]',
    'names = list(map(eval, []))',
    'builtins.exec("os")',
    'dir()',
    'sys.modules[__name__]',
    '__all__ = [n for n in names]',
    '__all__ = ["a"] + other.__all__',
    '__all__ += other.__all__',
    '__all__.append("os")',
  ])('keeps imports where names are looked up by their text: %s', async (line) => {
    expect(await python.rules(`import os\n\n${line}\n`)).toContain('python/F401');
    expect(await fixesOf(`import os\n\n${line}\n`)).not.toContain('python/F401');
  });

  it.each([
    'model.eval()',
    'evaluate = 1',
    '__all__ = ["a", \'b\',]',
    '__all__ = (\n    "a",\n    "b",\n)',
  ])('removes imports beside what only looks like that: %s', async (line) => {
    expect(await fixesOf(`import os\n\n${line}\n`)).toContain('python/F401');
  });

  it('judges a hostile list of exports in linear time', async () => {
    const text = `__all__ = [${'"a"   \n '.repeat(20_000)}`.repeat(3);
    const start = performance.now();
    expect(looksUpNames(text)).toBe(true);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('does not ask stub files for docstrings', async () => {
    const stub = aLinter('python', 'sample.pyi');
    expect((await stub.rules('def f(a: int) -> int: ...\n')).join()).not.toContain('python/D1');
  });

  it('judges line length by the style guide', async () => {
    const file = { path: 'a.py', text: `x = "${'a '.repeat(45)}"\n`, language: 'python' } as const;
    const rulesOf = async (guide: string) => {
      const lineLength = chooseStyleGuide('python', guide).lineLength ?? 100;
      const found = await lintFile(file, { ...aLintSetup('python', guide), lineLength });
      return found.map(({ rule }) => rule);
    };
    expect(await rulesOf('pep8')).not.toContain('python/E501');
    expect(await rulesOf('google')).toContain('python/E501');
  });
});

describe('JavaScript by ESLint', () => {
  const javascript = aLinter('javascript', 'sample.js');

  it('reports likely bugs, dead code and old syntax', async () => {
    const found = await javascript.rules('var a = 1;\nif (a == 2) { }\ndebugger;\n');
    expect(found).toEqual(
      expect.arrayContaining(['javascript/no-var', 'javascript/eqeqeq', 'javascript/no-debugger']),
    );
  });

  it('reads modules, scripts and JSX', async () => {
    await expect(
      javascript.lint('import a from "a";\nexport default <p>{a}</p>;\n'),
    ).resolves.toBeDefined();
    await expect(javascript.lint('with (a) { b = 010; }\nreturn 1;\n')).resolves.toBeDefined();
    await expect(aLinter('javascript', 'a.mjs').lint('await a();\n')).resolves.toBeDefined();
    await expect(aLinter('javascript', 'a.cjs').lint('return 1;\n')).resolves.toBeDefined();
  });

  it('does not run rules that comments in the text switch on', async () => {
    const found = await javascript.rules(
      '/* eslint no-magic-numbers: 2, made-up: 2 */\nexport const a = 5;\n',
    );
    expect(found).toEqual([]);
  });

  it('says what a fix would write, unless that is long', async () => {
    const long = `'${'y'.repeat(100)}'`;
    const found = await javascript.lint(
      `export const f = () => { let a = 1; let b = ${long}; return a + b; };\n`,
    );
    const fixes = found.flatMap(({ rule, fix }) => (rule.endsWith('prefer-const') ? [fix] : []));
    expect(fixes).toEqual(['Replace with const a = 1;', 'Rewrite as the rule suggests']);
  });

  it('keeps a script from turning a global into a constant that others may assign', async () => {
    const found = await javascript.lint('let shared = 1;\n');
    expect(found.filter(({ safeFix }) => safeFix)).toEqual([]);
  });
});

describe('TypeScript by ESLint over oxc', () => {
  const typescript = aLinter('typescript', 'sample.ts');

  it.each([
    ['no-explicit-any', 'export let a: any;', 'export let a: unknown;'],
    ['no-non-null-assertion', 'export const a = b!;', 'export const a = !b;'],
    ['no-namespace', 'export namespace A { export const b = 1; }', 'declare module "a" {}'],
    ['no-empty-interface', 'export interface A {}', 'export interface A extends B {}'],
    ['no-wrapper-types', 'export let a: String;', 'export let a: string;'],
    ['no-unsafe-function-type', 'export let a: Function;', 'export let a: () => void;'],
    [
      'no-duplicate-enum-values',
      'export enum A { B = 1, C = 1 }',
      'export enum A { B = 1, C = 2 }',
    ],
    [
      'no-misused-new',
      'export interface A { constructor(): void }',
      'export interface A { new (): A }',
    ],
    [
      'no-this-alias',
      'export function f() { const self = this; return self; }',
      'export function f() { return this; }',
    ],
    ['prefer-as-const', "export const a = 'b' as 'b';", "export const a = 'b' as const;"],
    [
      'no-require-imports',
      'import a = require("a");\nexport { a };',
      'import a from "a";\nexport { a };',
    ],
    [
      'ban-ts-comment',
      '// @ts-ignore\nexport const a = 1;',
      '// @ts-expect-error: wrong upstream\nexport const a = 1;',
    ],
    [
      'no-unused-binding',
      'import { a } from "a";\nexport {};',
      'import { a } from "a";\nexport type B = typeof a;',
    ],
  ])('%s reports what breaks it and nothing near it', async (rule, broken, kept) => {
    expect(await typescript.rules(`${broken}\n`)).toContain(`typescript/${rule}`);
    expect(await typescript.rules(`${kept}\n`)).not.toContain(`typescript/${rule}`);
  });

  it('takes names of types, parameters and declarations for what they are', async () => {
    const text = [
      'declare const ambient: number;',
      'declare function outside(a: string): void;',
      'export class A { constructor(private readonly kept: number) {} }',
      'export const { left, ...rest } = source;',
      'export type F = (unusedName: string) => void;',
      'const { gone, ...others } = source;',
      'export default others;',
    ].join('\n');
    expect(await typescript.rules(`${text}\n`)).toEqual([]);
  });

  it('cuts tokens at the borders of the tree, so that fixes hit the right place', async () => {
    const text =
      '#!/usr/bin/env node\nexport function f(): Array<Array<string>> {\n  let a: Map<string, Array<RegExp>>= g(/[/"]>>/u, `x${1}y`); // >>\n  return a >>> 1;\n}\n';
    const found = await typescript.lint(text);
    const [edit] = found.find(({ rule }) => rule === 'typescript/prefer-const')?.safeFix ?? [];
    expect(edit && text.slice(edit.start, edit.end)).toMatch(/^let/);
  });

  it('reads declaration files and TSX', async () => {
    await expect(
      aLinter('typescript', 'a.d.ts').lint('export const a: number;\n'),
    ).resolves.toEqual([]);
    await expect(
      aLinter('typescript', 'a.tsx').lint('export const A = () => <p>a</p>;\n'),
    ).resolves.toEqual([]);
  });
});

describe('HTML by html-validate', () => {
  const html = aLinter('html', 'sample.html');
  const page = (body: string): string =>
    `<!DOCTYPE html>\n<html lang="en"><head><title>a</title></head><body>${body}</body></html>\n`;

  it('reports what the standard forbids and what shuts people out', async () => {
    const found = await html.rules(page('<img src="a.png"><p><div>x</div></p>'));
    expect(found).toEqual(expect.arrayContaining(['html/wcag/h37', 'html/close-order']));
  });

  it('offers fixes after which a browser builds the same document', async () => {
    const found = await html.lint(page('<br/><img SRC="a" alt=b>'));
    const fixes = found.flatMap(({ safeFix }) => safeFix ?? []).map(({ text }) => text);
    expect(fixes.sort()).toEqual(['>', 'alt="b"', 'src']);
  });

  it('leaves a slash alone that may belong to a value, and everything in XHTML', async () => {
    const slash = await html.lint(page('<img src="a" alt=b/>'));
    expect(slash.flatMap(({ safeFix }) => safeFix ?? [])).toEqual([]);
    const xhtml = await aLinter('html', 'a.xhtml').lint('<p><br/></p>\n');
    expect(xhtml).toEqual([]);
  });

  it('does not ask a piece of a page for a doctype', async () => {
    expect(await html.rules('<p>x</p>\n')).toEqual([]);
  });
});

describe('CSS by stylelint', () => {
  const css = aLinter('css', 'sample.css');

  it('reports unknown properties, empty blocks and overridden shorthands', async () => {
    const found = await css.rules('a { colr: red; }\nb {}\ni { margin-top: 1px; margin: 2px; }\n');
    expect(found).toEqual(
      expect.arrayContaining([
        'css/property-no-unknown',
        'css/block-no-empty',
        'css/declaration-block-no-shorthand-property-overrides',
      ]),
    );
  });

  it('offers fixes that render the same', async () => {
    const found = await css.lint('a:before { color: #ffffff; top: 0px; margin: 1px 1px; }\n');
    expect(found.filter(({ safeFix }) => safeFix)).toHaveLength(4);
  });
});

const broken: Readonly<Record<Language, string>> = {
  python: 'def f(:\n',
  javascript: 'let a = ;\n',
  typescript: 'let a: = 1;\n',
  java: 'class A {\n',
  go: 'package a\nfunc (\n',
  rust: 'fn a( {\n',
  sql: 'SELEC 1;\n',
  html: '<p <x\n',
  css: 'a {\n',
};

const deep: Readonly<Partial<Record<Language, string>>> = {
  python: `x = ${'('.repeat(10_000)}1${')'.repeat(10_000)}\n`,
  javascript: `x = ${'['.repeat(10_000)}${']'.repeat(10_000)};\n`,
  typescript: `const x = ${'a+'.repeat(10_000)}1;\n`,
  html: '<div>'.repeat(10_000) + '</div>'.repeat(10_000),
  css: 'a{'.repeat(10_000) + '}'.repeat(10_000),
};

describe('every linter', () => {
  it.each(languages)('refuses %s that does not parse, with line and column', async (language) => {
    await expect(aLinter(language).lint(broken[language])).rejects.toMatchObject({
      code: 'code.syntax_error',
      details: { line: expect.any(Number), column: expect.any(Number) },
    });
  });

  it.each(Object.entries(deep))(
    'ends on %s that nests 10,000 levels deep',
    async (language, text) => {
      await expect(aLinter(language as Language).lint(text)).rejects.toMatchObject({
        code: 'code.too_complex',
      });
    },
  );

  it.each(['java', 'go', 'rust'] as const)(
    'walks %s thousands of levels deep',
    async (language) => {
      const nested = `${'('.repeat(3_000)}1${')'.repeat(3_000)}`;
      const text = {
        java: `class A { int x = ${nested}; }`,
        go: `package a\n\nvar x = ${nested}\n`,
        rust: `fn a() { let _x = ${nested}; }`,
      }[language];
      await expect(aLinter(language).lint(text)).resolves.toBeInstanceOf(Array);
    },
  );

  it('reports long lines, unless one word makes them long', async () => {
    const java = aLinter('java', 'A.java');
    expect(await java.rules(`class A {} // ${'word '.repeat(30)}\n`)).toContain('java/line-length');
    expect(await java.rules(`class A {} // ${'x'.repeat(150)}\n`)).not.toContain(
      'java/line-length',
    );
    expect(await java.rules(`class A {} // ${'\t'.repeat(30)}a b\r\n`)).toContain(
      'java/line-length',
    );
  });

  it.each(languages)('has a default style guide for %s, and describes all of them', (language) => {
    const [first] = profileOf(language).styleGuides;
    expect(chooseStyleGuide(language, undefined)).toBe(first);
    expect(chooseStyleGuide(language, 'no such guide')).toBe(first);
    for (const guide of profileOf(language).styleGuides) expect(guide.description).not.toBe('');
  });
});
