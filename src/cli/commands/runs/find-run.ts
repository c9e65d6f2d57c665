import { localCaller } from '../../../contract/caller/index.ts';
import type { RunView, Workflows } from '../../../contract/run/index.ts';
import { UsageError } from '../../errors.ts';
import { firstSentence } from '../../output.ts';

const maxWaiting = 20;
const maxNameLength = 60;

/** The operands of an action with `last`, the newest run, replaced by its id. */
export async function withRunId(
  workflows: Workflows,
  operands: readonly string[],
): Promise<readonly string[]> {
  const [run, ...others] = operands;
  if (run !== 'last') return operands;
  const [newest] = await workflows.list(localCaller, { limit: 1 });
  if (!newest) {
    throw new UsageError('There are no runs: "tutti run PLAN" starts one', { hint: '' });
  }
  return [newest.runId, ...others];
}

/** The run that waits for approval, where there is just one. */
export async function onlyWaitingRun(workflows: Workflows): Promise<string> {
  const filter = { status: ['waiting'], limit: maxWaiting } as const;
  const runs = await workflows.list(localCaller, filter);
  const views = await Promise.all(runs.map(({ runId }) => workflows.show(localCaller, runId)));
  const waiting = views.filter(({ waitingFor }) =>
    waitingFor.some(({ kind }) => kind === 'approval'),
  );
  const [only, another] = waiting;
  if (!only) throw new UsageError('No run waits for approval', { hint: '' });
  if (another) {
    const lines = waiting.map((view) => `  ${describeRun(view)}`);
    throw new UsageError(`Several runs wait for approval. Say which:\n${lines.join('\n')}`);
  }
  return only.runId;
}

function describeRun({ runId, name, goal }: RunView): string {
  return `${runId}  ${firstSentence(name ?? goal ?? '', maxNameLength)}`.trimEnd();
}
