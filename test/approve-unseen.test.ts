import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunView } from '../src/contract/run/index.ts';
import { aFolder, runTutti, type Ended } from './support/run-tutti.ts';

const hidden = 'wire_to_mallory = 5000';
const filler = Array.from({ length: 400 }, (_, at) => `x${at} = ${at}`).join('\n');

/** Arguments of `code.format_code` of which not all is seen at first sight. */
it.each([
  [
    'in the middle of a long value',
    { language: 'python', code: `${filler}\n${hidden}\n${filler}` },
  ],
  ['behind a long value', { code: `${filler}\n${filler}\n${hidden}`, language: 'python' }],
  ['in what a step before it gave', { language: 'python', code: '${before.formatted_code}' }],
])(
  'a call with something %s is approved only by those who saw it',
  { timeout: 60_000 },
  async (_where, args) => {
    const cwd = aFolder();
    const tutti = (...argv: readonly string[]): Promise<Ended> => runTutti(argv, { cwd });
    const code = `${filler}\n${hidden}\n${filler}\n`.repeat(10);
    const steps = [
      { id: 'before', tool: 'code.format_code', args: { language: 'python', code } },
      { id: 'format', tool: 'code.format_code', args, approval: true },
    ];
    writeFileSync(join(cwd, 'a.plan.json'), JSON.stringify({ steps }));
    const { runId } = JSON.parse(
      (await tutti('run', join(cwd, 'a.plan.json'), '--json')).stdout,
    ) as RunView;
    const hasty = await tutti('runs', 'approve', runId, 'format');
    expect([hasty.exitCode, hasty.stderr]).toEqual([4, expect.stringContaining('not approved')]);
    const shown = await tutti('runs', 'show', runId, 'format');
    expect(shown.stdout).toContain(hidden);
    const [, seen = ''] = /--seen (\w+)/.exec(shown.stdout) ?? [];
    const approved = await tutti('runs', 'approve', runId, 'format', '--seen', seen, '--json');
    expect([approved.exitCode, JSON.parse(approved.stdout)]).toMatchObject([
      0,
      { status: 'succeeded' },
    ]);
  },
);

it('a change of a file is approved only when all of its diff was shown', async () => {
  const cwd = aFolder();
  const tutti = (...argv: readonly string[]): Promise<Ended> => runTutti(argv, { cwd });
  const args = { changes: [{ path: 'a.txt', content: `${filler}\n${hidden}\n${filler}` }] };
  const steps = [{ id: 'change', tool: 'workspace.apply_changes', args, approval: true }];
  writeFileSync(join(cwd, 'a.plan.json'), JSON.stringify({ steps }));
  const waiting = await tutti('run', join(cwd, 'a.plan.json'), '--json');
  const { runId } = JSON.parse(waiting.stdout) as RunView;
  const hasty = await tutti('runs', 'approve', runId, 'change');
  expect([hasty.exitCode, existsSync(join(cwd, 'a.txt'))]).toEqual([4, false]);
  const shown = await tutti('runs', 'show', runId, 'change');
  expect(shown.stdout).toContain(`+${hidden}`);
  const [, seen = ''] = /--seen (\w+)/.exec(shown.stdout) ?? [];
  expect((await tutti('runs', 'approve', runId, 'change', '--seen', seen)).exitCode).toBe(0);
  expect(existsSync(join(cwd, 'a.txt'))).toBe(true);
});
