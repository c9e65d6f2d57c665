import type { AgentVersions, Chooser, Judgement, Outcome } from '../../contract/agents/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { DelegationRow, DelegationStore } from './delegation-store.ts';

interface JudgeParts {
  readonly store: Pick<DelegationStore, 'ofRun' | 'ofChange'>;
  readonly chooser: Pick<Chooser, 'record'>;
  readonly versions: Pick<AgentVersions, 'decide'>;
}

/** What a person said of a run or a change is an outcome of the decision that led to it, however late it comes. */
export async function judge(
  { store, chooser, versions }: JudgeParts,
  caller: Caller,
  { about, isGood, evidence }: Judgement,
): Promise<void> {
  const row =
    about.kind === 'change'
      ? await store.ofChange(caller.id, about.id)
      : rowOfRun(await store.ofRun(caller.id, about.id), about.id);
  const decisionId: unknown = Object(row?.decision).decisionId;
  if (!row || typeof decisionId !== 'string') return;
  const success = isGood ? 1 : 0;
  const outcome = { decisionId, success, evidence, isDelayed: true, ...doneBy(row.decision, row) };
  await chooser.record(caller, outcome);
  await versions.decide(caller);
}

/** The agent whose run it is. An opinion about a run in which several had a part says nothing of a single one. */
function rowOfRun(rows: readonly DelegationRow[], runId: string): DelegationRow | undefined {
  const own = rows.findLast((row) => row.runId === runId);
  if (own) return own;
  const below = rows.filter(({ key }) => !key.endsWith(shadowSuffix));
  return new Set(below.map(({ key }) => key)).size === 1 ? below.at(-1) : undefined;
}

/** Of the key of a task that runs beside another one. */
export const shadowSuffix = ':shadow';

/** Outcomes of failovers say nothing of the version that was chosen. */
export function doneBy(
  decision: Json,
  { agent, version }: Pick<DelegationRow, 'agent' | 'version'>,
): Pick<Outcome, 'doneBy'> {
  const { chosen } = Object(decision);
  const isChosen = chosen?.agent === agent && chosen?.version === version;
  return isChosen ? {} : { doneBy: { agent, version } };
}
