import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import { aCodeContext } from '../../../../testkit/toolbox/code-context.ts';
import { languages } from '../language.ts';
import { teamStandards } from './code-standard.ts';
import { reviewCodeTool } from './review-code-tool.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-standards-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('has limits for every language where a team has set none', async () => {
  const standards = await teamStandards(undefined)();
  for (const language of languages) expect(standards[language].cyclomaticLimit).toBeGreaterThan(1);
});

it('lets a project’s own limit decide what a review calls too complex', async () => {
  const code = 'def f(a, b):\n    """Adds."""\n    if a:\n        return b\n    return a\n';
  const review = async (): Promise<string> => {
    const tool = reviewCodeTool(aCodeContext([folder]), teamStandards(folder));
    const result = await tool.call({ code, language: 'python' }, aCallContext());
    return JSON.stringify(result.structuredContent);
  };
  expect(await review()).not.toContain('cyclomatic complexity 2');
  writeFileSync(join(folder, 'coding-standards.yaml'), 'python:\n  complexity_limit: 1\n');
  expect(await review()).toContain('cyclomatic complexity 2 (limit 1)');
});

it('lists issues of the wanted severities and counts the others', async () => {
  const context = aCodeContext([folder], { severityLevels: ['critical'] });
  const result = await reviewCodeTool(context).call(
    { code: 'import os, sys\n', language: 'python' },
    aCallContext(),
  );
  expect(result.structuredContent).toMatchObject({
    issues: [],
    issues_omitted: result.structuredContent?.['issues_total'],
    counts: { minor: expect.any(Number) },
  });
  expect(result.structuredContent?.['issues_total']).toBeGreaterThan(1);
});
