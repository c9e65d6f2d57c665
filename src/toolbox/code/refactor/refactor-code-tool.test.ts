import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import type { LintFinding } from '../lint/lint-data.ts';
import { refactorCodeTool, type RefactorOutput } from './refactor-code-tool.ts';
import { applyFixes, fixOnce } from './refactor-file.ts';

const context = aCodeContext();

async function refactor(args: object, roots?: readonly string[]): Promise<RefactorOutput> {
  const tool = refactorCodeTool(roots ? aCodeContext(roots) : context);
  const result = await tool.call(args, aCallContext());
  return result.structuredContent as RefactorOutput;
}

describe('refactor_code', () => {
  it.each([
    ['python', 'import os\nimport sys\nx = f"a"\n', 'x = "a"\n'],
    [
      'javascript',
      'export const f = (a) => {\n  let b = a;\n  return { b: b };\n};\n',
      'export const f = (a) => {\n  const b = a;\n  return { b };\n};\n',
    ],
    [
      'typescript',
      'export function f(a: number): number {\n  let b = a;\n  return b;\n}\n',
      'export function f(a: number): number {\n  const b = a;\n  return b;\n}\n',
    ],
    [
      'java',
      'import a.B;\n\nclass C {\n  void d() {\n    e();\n    return;\n  }\n}\n',
      '\nclass C {\n  void d() {\n    e();\n  }\n}\n',
    ],
    [
      'go',
      'package a\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc f() {\n\tfmt.Print()\n\treturn\n}\n',
      'package a\n\nimport (\n\t"fmt"\n)\n\nfunc f() {\n\tfmt.Print()\n}\n',
    ],
    [
      'rust',
      'fn f(x: i32) {\n    g(P { x: x });\n    return;\n}\n',
      'fn f(x: i32) {\n    g(P { x });\n}\n',
    ],
    ['sql', 'select a from b where c != 1;\n', 'SELECT a FROM b WHERE c <> 1;\n'],
    ['html', '<p>a<br/>b</p>\n', '<p>a<br>b</p>\n'],
    ['css', 'a:before { color: #ffffff; }\n', 'a::before { color: #fff; }\n'],
  ])('cures what is safe in %s', async (language, before, after) => {
    const result = await refactor({ code: before, language });
    expect(result.refactored_code).toBe(after);
    expect(result.fixes_total).toBeGreaterThan(0);
    expect(result.diff).toContain('--- a/<code>\n+++ b/<code>\n@@');
    expect((await refactor({ code: after, language })).refactored_code).toBe(after);
  });

  it('applies only the rules that are asked for, with or without the language before them', async () => {
    const code = 'import os\n\nx = f"a"\n';
    const one = await refactor({ code, language: 'python', rules: ['F541'] });
    expect(one.refactored_code).toBe('import os\n\nx = "a"\n');
    const other = await refactor({ code, language: 'python', rules: ['python/F401'] });
    expect(other.fixes_applied).toEqual([
      { rule: 'python/F401', file: '<code>', line: 1, message: '`os` imported but unused' },
    ]);
  });

  it('says so when nothing is safe to fix', async () => {
    const result = await refactor({ code: 'def f(a=[]):\n    return a\n', language: 'python' });
    expect(result.diff).toBe('');
    expect(result.notes).toEqual(['Nothing here can be fixed without risk of changing behaviour']);
    expect(result.remaining).toBeGreaterThan(0);
  });

  it('keeps a byte order mark and Windows line ends', async () => {
    const result = await refactor({ code: '\uFEFFimport os\r\nx = f"a"\r\n', language: 'python' });
    expect(result.refactored_code).toBe('\uFEFFx = "a"\r\n');
  });

  it('throws on a single text that does not parse', async () => {
    await expect(refactor({ code: 'def f(:\n', language: 'python' })).rejects.toMatchObject({
      code: 'code.syntax_error',
    });
  });

  it('summarises with the diff, for a person', async () => {
    const result = await refactorCodeTool(context).call(
      { code: 'import os\n', language: 'python' },
      aCallContext(),
    );
    expect(result.content[0]).toMatchObject({
      text: expect.stringContaining('1 fix in 1 of 1 file'),
    });
  });
});

describe('refactor_code on a folder', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tutti-refactor-'));
    await writeFile(join(folder, 'a.py'), 'import os\n');
    await writeFile(join(folder, 'b.py'), 'def f(:\n');
    await writeFile(join(folder, 'c.css'), 'a { color: #ffffff; }\n');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('lists what changed, leaves alone what does not parse, and writes nothing', async () => {
    const result = await refactor({ path: folder }, [folder]);
    expect(result.files.map(({ path }) => path)).toEqual(['a.py', 'c.css']);
    expect(result.notes).toEqual(['b.py does not parse and was left alone']);
    expect(result.refactored_code).toBeUndefined();
    expect(result.changes?.map(({ path }) => path)).toEqual(['a.py', 'c.css']);
    expect(result.changes?.[0]?.content).toBe('');
    expect((await refactor({ path: folder }, [folder])).fixes_total).toBe(result.fixes_total);
  });
});

const finding = (edits: LintFinding['safeFix']): LintFinding => ({
  severity: 'info',
  area: 'style',
  rule: 'x/y',
  message: 'm',
  file: 'f',
  line: 1,
  column: 1,
  ...(edits ? { safeFix: edits } : {}),
});

describe('applying fixes', () => {
  it('applies neighbours together and of two that overlap the first', () => {
    const result = applyFixes('abcdef', [
      finding([{ start: 2, end: 4, text: '' }]),
      finding([{ start: 0, end: 2, text: 'X' }]),
      finding([{ start: 3, end: 5, text: 'Y' }]),
      finding(undefined),
    ]);
    expect(result.text).toBe('Xef');
    expect(result.applied).toHaveLength(2);
  });

  it('never applies half of a fix, nor two insertions at one place', () => {
    const overlapping = finding([
      { start: 0, end: 3, text: '' },
      { start: 2, end: 4, text: '' },
    ]);
    const insertion = finding([{ start: 4, end: 4, text: '+' }]);
    expect(applyFixes('abcdef', [overlapping]).text).toBe('abcdef');
    expect(applyFixes('abcdef', [insertion, insertion]).text).toBe('abcd+ef');
  });

  it('gives the text back unchanged when the result would not parse', async () => {
    for (const [language, text] of [
      ['python', 'x = (1)\n'],
      ['javascript', 'f(1);\n'],
      ['go', 'package a\n\nfunc f(a int) {}\n'],
    ] as const) {
      const at = text.lastIndexOf(')');
      const spoiled = finding([{ start: at, end: at + 1, text: '' }]);
      expect(await fixOnce({ path: 'x', text, language }, [spoiled], context)).toBe(text);
    }
  });
});
