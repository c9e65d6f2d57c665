import { describe, expect, it } from 'vitest';
import { aCallContext } from '../../testing/call-context.ts';
import { aCodeContext } from '../../testing/code-context.ts';
import type { DefinedTool } from '../../define-tool.ts';
import { analyzeComplexityTool } from '../complexity/analyze-complexity-tool.ts';
import { refactorCodeTool } from '../refactor/refactor-code-tool.ts';
import { reviewCodeTool } from '../review/review-code-tool.ts';
import { scanSecurityTool } from '../security/scan-security-tool.ts';
import { inlinePath, type SourceFile } from '../source-files.ts';
import { SyntaxTrees } from '../syntax-tree.ts';
import { parseJavascriptFile } from './parse-inline.ts';
import { formatCodeTool } from '../format/format-code-tool.ts';

const trees = new SyntaxTrees();
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
