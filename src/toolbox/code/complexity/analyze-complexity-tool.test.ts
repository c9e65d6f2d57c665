import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProgressUpdate } from '../../../contract/server/index.ts';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import { analyzeComplexityTool } from './analyze-complexity-tool.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'complexity-'));
});

afterEach(() => rm(folder, { recursive: true }));

function call(args: object, progress: (update: ProgressUpdate) => void = () => {}) {
  const tool = analyzeComplexityTool(aCodeContext([folder]));
  return tool.call(args, aCallContext({ progress }));
}

const branchy = `def f(a):\n${'  if a:\n    a()\n'.repeat(12)}`;

describe('analyze_complexity', () => {
  it('returns the numbers of a text and of each of its functions', async () => {
    const { structuredContent } = await call({
      code: 'def f(a):\n  if a: pass\n',
      language: 'python',
    });
    expect(structuredContent).toMatchObject({
      language: 'python',
      cyclomatic_complexity: 2,
      cognitive_complexity: 1,
      lines_of_code: 2,
      maintainability_index: 100,
      recommendations: [],
      functions: [{ name: 'f', start_line: 1, end_line: 2, cyclomatic: 2, cognitive: 1 }],
    });
  });

  it('leaves the functions out when asked to', async () => {
    const { structuredContent } = await call({
      code: branchy,
      language: 'python',
      detailed: false,
    });
    expect(structuredContent).not.toHaveProperty('functions');
    expect(structuredContent).toHaveProperty('recommendations', [
      'f (<code>:1): cyclomatic complexity 13 is above 10; move groups of branches into functions or a table',
    ]);
  });

  it('says in words what the numbers are', async () => {
    const { content } = await call({ code: 'select 1', language: 'sql' });
    expect(content[0]?.['text']).toBe(
      'sql: cyclomatic not applicable, cognitive not applicable, lines of code 1, maintainability not applicable\n- Nothing stands out.',
    );
  });

  it('adds up a folder, names each file and tells how far it is', async () => {
    await writeFile(join(folder, 'a.py'), 'def f(a):\n  if a: pass\n');
    await writeFile(join(folder, 'b.js'), 'function g(a) { return a ? 1 : 2; }\n');
    await writeFile(join(folder, 'c.css'), 'a { color: red }\n');
    const updates: number[] = [];
    const { structuredContent } = await call({ path: '.' }, (update) =>
      updates.push(update.progress),
    );
    expect(structuredContent).toMatchObject({
      language: 'mixed',
      cyclomatic_complexity: 4,
      cognitive_complexity: 2,
      lines_of_code: 4,
      files: [{ path: 'a.py' }, { path: 'b.js' }, { path: 'c.css', structure: { rules: 1 } }],
    });
    expect(updates).toEqual([0, 1, 2, 3]);
  });

  it('lists a file of a folder that it cannot read beside the numbers of the others', async () => {
    await writeFile(join(folder, 'a.py'), 'def f(:\n');
    await writeFile(join(folder, 'b.py'), 'x = 1\n');
    const { structuredContent } = await call({ path: '.' });
    expect(structuredContent).toMatchObject({
      files: [{ path: 'b.py' }],
      failed: [{ path: 'a.py', code: 'code.syntax_error' }],
    });
  });

  it('names the most complex functions where nothing is above a limit', async () => {
    const code =
      'def plain():\n    return 1\n\ndef branch(a):\n    if a:\n        return 1\n    return 2\n';
    const { content } = await call({ code, language: 'python' });
    expect(content[0]?.['text']).toContain(
      'The most complex: branch (line 4): cyclomatic 2, cognitive 1; plain (line 1)',
    );
  });

  it('refuses a text with a syntax error, with its place', async () => {
    await expect(call({ code: 'def f(:\n', language: 'python' })).rejects.toMatchObject({
      code: 'code.syntax_error',
      details: { line: 1 },
    });
  });

  it('recommends at most twenty changes, the worst first', async () => {
    const many = Array.from({ length: 25 }, (_, index) => branchy.replace('f(', `f${index}(`));
    const worst = `def worst(a):\n${'  if a:\n    a()\n'.repeat(40)}`;
    const { structuredContent } = await call({
      code: [...many, worst].join(''),
      language: 'python',
    });
    const recommendations = structuredContent?.['recommendations'] as string[];
    expect(recommendations[0]).toMatch(/^worst /);
    expect(recommendations.at(-1)).toMatch(/^\d+ less important recommendation/);
    expect(recommendations).toHaveLength(21);
  });

  it.each([
    ['sql', `select ${'(select '.repeat(5)}1${')'.repeat(5)}`, 'common table'],
    ['css', `${'a {'.repeat(6)} color: red; ${'}'.repeat(6)}`, 'flatter selectors'],
    ['html', `${'<div>'.repeat(20)}${'</div>'.repeat(20)}`, 'only wrap'],
    ['go', `package p\nfunc f(a, b, c, d, e, g, h int) {}`, 'pass an object'],
    ['go', `package p\nfunc f() {\n${'g()\n'.repeat(120)}}`, 'steps with names'],
    ['go', `package p\nfunc f() { ${'if a {'.repeat(5)}${'}'.repeat(5)} }`, 'return early'],
  ])('advises on %s that stands out', async (language, code, advice) => {
    const { structuredContent } = await call({ code, language });
    expect(JSON.stringify(structuredContent?.['recommendations'])).toContain(advice);
  });
});
