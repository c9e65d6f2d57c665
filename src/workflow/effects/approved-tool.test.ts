import { expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { aWorkbench, gives, readOnly } from '../../../testkit/workflow/effects/a-workbench.ts';

const args = { value: { amount: 5 } };
const run = () => gives({ done: true });

it.each(
  ['s.t', 's.read'].flatMap((tool) => [
    [tool, 'says other words about it', { description: 'Look at the weather' }] as const,
    [tool, 'takes other arguments', { inputSchema: { type: 'object' } }] as const,
    [tool, 'says other things of it', { annotations: { readOnlyHint: true, title: 'x' } }] as const,
  ]),
)('an approved call of %s is not made when its server %s than before', async (...given) => {
  const [tool, , parts] = given;
  const bench = aWorkbench({ 's.t': { run }, 's.read': { ...readOnly, run } });
  await bench.ask({ tool, args });
  const { approvalId } = await bench.approvals.decide(
    localCaller,
    { runId: 'run1' },
    { verdict: 'approved' },
  );
  const later = aWorkbench(
    { [tool]: { run, ...parts } },
    { effects: bench.store.effects, clock: bench.clock },
  );
  expect(await later.call({ tool, args, approvalId })).toMatchObject({
    error: { code: 'workflow.approval_void', details: { changed: ['definition of the tool'] } },
  });
  expect(later.calls).toEqual([]);
  expect(await bench.call({ tool, args, approvalId })).toMatchObject({
    error: { message: expect.stringContaining('void already') as string },
  });
});
