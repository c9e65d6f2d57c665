import { afterAll, describe, expect, it } from 'vitest';
import type { DefinedTool } from '../../define-tool.ts';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import { isProof, sampleSeeded } from '../../../../testkit/sample.ts';
import { analyzeComplexityTool } from '../complexity/analyze-complexity-tool.ts';
import { formatCodeTool } from '../format/format-code-tool.ts';
import { refactorCodeTool } from '../refactor/refactor-code-tool.ts';
import { reviewCodeTool } from '../review/review-code-tool.ts';
import { scanSecurityTool } from '../security/scan-security-tool.ts';
import { inlinePath, type SourceFile } from '../source-files.ts';
import { SyntaxTrees } from '../syntax-tree.ts';
import { createThreadedCodeServer } from '../threaded-code-server.ts';
import {
  dialectOf,
  parseJavascript,
  parseJavascriptFile,
  type JavascriptDialect,
} from './javascript-tree.ts';

const trees = new SyntaxTrees();
const parse = (text: string, dialect: JavascriptDialect = 'jsx') =>
  parseJavascript({ path: 'a.js', text, dialect }, trees);

it('knows the dialect by the ending', () => {
  expect(dialectOf('a.tsx', 'typescript')).toBe('tsx');
  expect(dialectOf('a.d.mts', 'typescript')).toBe('dts');
  expect(dialectOf('<code>', 'typescript')).toBe('ts');
  expect(dialectOf('a.mjs', 'javascript')).toBe('jsx');
});

it('parses a long line that is valid', async () => {
  expect((await parse(`x = [${'1,'.repeat(10_000)}];`)).errors).toEqual([]);
});

it('parses what is long but not deep, and what only looks deep inside strings and comments', async () => {
  const brackets = '['.repeat(4_000);
  const text = `${'f([a.b + 1], { c: () => d });\n'.repeat(2_000)}x = '${brackets}'; // ${brackets}\n`;
  expect((await parse(text)).errors).toEqual([]);
});

/** Brackets in lines that are each too short to be looked at more closely, behind `before`. */
const deepBehind = (before: string): string => `${before}${'['.repeat(4_000)}\n`.repeat(15);

/** Most make who reads them with less than the whole grammar miss where code begins. */
const hostile: readonly (readonly [string, string])[] = [
  ['brackets', '['.repeat(20_000)],
  ['calls', 'f('.repeat(20_000)],
  ['type arguments', '<a '.repeat(30_000)],
  ['arrow functions', `x = ${'() => '.repeat(20_000)}1`],
  ['else branches', `${'if (a) {} else '.repeat(20_000)}{}`],
  ['regular expressions that never end', '/['.repeat(isProof ? 10_000 : 3_000)],
  ['brackets behind a comment in a template', `const g = \`/*\`;\n${deepBehind('')}`],
  ['brackets behind a quote in a template', deepBehind("f(`'`,")],
  ['brackets behind a quote in a regular expression', deepBehind("if (a) /'/.b, ")],
  ['brackets behind a quote in an element', deepBehind("x = <a>don't {")],
  ['brackets behind what is a comment in scripts only', deepBehind('x <!-- ')],
  ['brackets behind what divides in scripts only', deepBehind("yield/'/;x=' ")],
  ['brackets behind a line that ends by a carriage return', deepBehind('//\r')],
  ['functions that close', `${'(function () {\n'.repeat(20_000)}${'})\n'.repeat(20_000)}`],
];

describe('what would end the process is refused instead', () => {
  it.each(hostile)('%s', async (_what, text) => {
    for (const dialect of ['ts', 'jsx'] as const) {
      const outcome = await parse(text, dialect).then(
        ({ errors }) => (errors.length > 0 ? 'errors' : 'parsed'),
        (error: unknown) => error,
      );
      if (outcome === 'errors') continue;
      expect(outcome).toMatchObject({
        code: expect.stringMatching(/^code\.(too_complex|syntax_error)$/),
      });
    }
  });

  it('a hundred thousand errors on one line', async () => {
    await expect(parse(`a = 1;\n${'\\'.repeat(100_000)}`)).rejects.toMatchObject({
      code: expect.stringMatching(/^code\.(too_complex|syntax_error)$/),
    });
  });
});

describe('in the threads the tools run in', () => {
  const { settings } = aCodeContext();
  const roots = [process.cwd()];
  const server = createThreadedCodeServer({
    version: '0.0.0',
    roots,
    settings,
    standardsDirectory: undefined,
  });
  afterAll(() => server.close());

  it.each(sampleSeeded(hostile, 4))('%s end no process', async (_what, code) => {
    for (const language of ['typescript', 'javascript']) {
      const args = { code, language };
      const result = await server.callTool('analyze_complexity', args, aCallContext());
      expect(JSON.stringify(result)).not.toContain('toolbox.worker_died');
    }
  });
});

const withJsx = 'export const A = (p: { a: string }) => <b title={p.a}>{p.a}</b>;\n';
const withCast = 'export const a = <string>b;\n';

const aFile = (text: string, given: Partial<SourceFile> = {}): SourceFile => ({
  path: inlinePath,
  language: 'typescript',
  text,
  ...given,
});

describe('parsing JavaScript and TypeScript', () => {
  it('takes TypeScript without a name with and without JSX', async () => {
    expect((await parseJavascriptFile(aFile(withJsx), trees)).errors).toEqual([]);
    expect((await parseJavascriptFile(aFile(withCast), trees)).errors).toEqual([]);
  });

  it('goes by the name where there is one', async () => {
    const errorsOf = async (text: string, path: string): Promise<number> =>
      (await parseJavascriptFile(aFile(text, { path }), trees)).errors.length;
    expect(await errorsOf(withJsx, 'a.tsx')).toBe(0);
    expect(await errorsOf(withJsx, 'a.ts')).toBeGreaterThan(0);
    expect(await errorsOf(withCast, 'a.ts')).toBe(0);
    expect(await errorsOf('declare const a: string;\n', 'a.d.ts')).toBe(0);
  });

  it('takes JavaScript with JSX and without types', async () => {
    const language = 'javascript';
    expect(
      (await parseJavascriptFile(aFile('const a = <b />;', { language }), trees)).errors,
    ).toEqual([]);
    const typed = await parseJavascriptFile(aFile('const a: string = b;', { language }), trees);
    expect(typed.errors.length).toBeGreaterThan(0);
  });

  it('tells the problem of the likelier dialect when it is neither', async () => {
    const { errors } = await parseJavascriptFile(aFile('const = 1;\n'), trees);
    expect(errors[0]?.labels[0]?.start).toBe(6);
  });

  it('takes a very long line with JSX, and refuses one that is neither', async () => {
    const filler = `export const x = "${'a'.repeat(200_000)}";`;
    const long = await parseJavascriptFile(aFile(`${filler} ${withJsx}`), trees);
    expect(long.errors).toEqual([]);
    await expect(parseJavascriptFile(aFile(`${filler} const = 1;`), trees)).rejects.toMatchObject({
      code: 'code.syntax_error',
    });
  });
});

describe('TypeScript with JSX given as text', () => {
  const context = aCodeContext();
  const tools: readonly DefinedTool[] = [
    analyzeComplexityTool(context),
    formatCodeTool(context),
    refactorCodeTool(context),
    reviewCodeTool(context),
    scanSecurityTool(context),
  ];

  it.each(tools.map((tool) => [tool.name, tool] as const))('is read by %s', async (_, tool) => {
    const result = await tool.call({ code: withJsx, language: 'typescript' }, aCallContext());
    expect(result.isError).not.toBe(true);
    expect(JSON.stringify(result.structuredContent)).not.toMatch(/does not parse|not parsed/);
  });
});
