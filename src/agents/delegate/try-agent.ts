import type {
  AgentVersions,
  Chooser,
  DelegationResult,
  EvidenceKind,
} from '../../contract/agents/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { AppError, reportError, type Log } from '../../kernel/index.ts';
import type { Registry } from '../registry/registry.ts';
import { toJson, type Option, type Task } from './agent-options.ts';
import { BudgetExceededError } from '../errors.ts';
import { leftOf, narrow, type RootLimits, type SpentBy } from './budget.ts';
import { doneBy } from './judge.ts';
import type { DelegationChange, DelegationRow, DelegationStore } from './delegation-store.ts';
import { runAttempt, type Attempt, type AttemptParts, type AttemptResult } from './run-attempt.ts';

export interface TryParts extends AttemptParts {
  readonly registry: Registry;
  readonly store: DelegationStore;
  readonly spentBy: SpentBy;
  readonly chooser: Chooser;
  readonly versions: AgentVersions;
  readonly limits: RootLimits & { readonly hops: number; readonly attempts: number };
  readonly log: Log;
  readonly traceAttempt?: TraceAttempt;
}

/** The port to tracing: each attempt of an agent runs inside a span. */
export type TraceAttempt = (
  attempt: { readonly agent: string; readonly version: string; readonly context: CallContext },
  work: () => Promise<AttemptResult>,
) => Promise<AttemptResult>;

interface OneTry extends Task {
  readonly option: Option;
  /** By a process that died: it goes on with what it began. */
  readonly isBegun: boolean;
  readonly index: number;
  readonly attempts: DelegationResult['attempts'];
}

const shownTaskChars = 300;

function newRow(
  { option, index, key, request, budget, parentRun, parentStep }: OneTry,
  { callerId, nowMs }: { readonly callerId: string; readonly nowMs: number },
): DelegationRow {
  const { name: agent, version } = option.ready.agent;
  return {
    callerId,
    key,
    attempt: index,
    root: budget.root,
    parentRun,
    parentStep,
    agent,
    version,
    capability: option.capability,
    task: request.task.slice(0, shownTaskChars),
    decision: option.decision,
    runId: null,
    sessionId: null,
    verdict: 'running',
    error: null,
    result: null,
    startedAtMs: nowMs,
    endedAtMs: null,
  };
}

/** One agent at the task, from its row in the store to its outcome there. Only a cancellation is thrown. */
export async function tryOne(
  parts: TryParts,
  task: OneTry,
  context: CallContext,
): Promise<AttemptResult> {
  const { option, index, key, request, budget } = task;
  const { agent } = option.ready;
  const { caller } = context;
  const place = { callerId: caller.id, key, attempt: index };
  const id = `${key}#${index}`;
  const nowMs = parts.timers.now();
  const procedure = agent.procedures[option.capability];
  const left = task.isBegun ? budget : await leftOf(parts, caller, budget);
  const needsModel = procedure === undefined && !task.isBegun;
  const own = narrow(budget, { agent, tools: option.ready.tools, id, nowMs, left, needsModel });
  const row = await parts.store.begin(
    newRow(task, { callerId: caller.id, nowMs }),
    parts.limits.hops,
  );
  if (!row) throw new BudgetExceededError('agents', budget.chain);
  const release = parts.registry.begin(agent);
  try {
    const result = await runTraced(parts, {
      agent,
      capability: option.capability,
      procedure,
      request,
      budget: own,
      context,
      id,
      sessionId: row.sessionId,
      hasParentRun: task.parentRun !== null,
      note: (known) => parts.store.change(place, known),
    });
    const { verdict, error, run_id: runId } = result;
    const attempts = [
      ...task.attempts,
      attemptOf({ agent: agent.name, version: agent.version, runId, verdict, error }),
    ];
    const kept = toJson(whole(result, attempts));
    const endedAtMs = verdict === 'waiting' ? null : parts.timers.now();
    const ran = runId === null ? {} : { runId };
    await parts.store.change(place, { verdict, error, result: kept, endedAtMs, ...ran });
    await learn(parts, option, {
      result,
      context,
      durationMs: parts.timers.now() - row.startedAtMs,
      id,
    });
    return result;
  } catch (error) {
    if (context.signal.aborted && !isLetGo(context.signal.reason)) {
      await parts.store.change(place, cancelledBy(error, parts.timers.now()));
    }
    throw error;
  } finally {
    release();
  }
}

function runTraced(parts: TryParts, attempt: Attempt): Promise<AttemptResult> {
  const { agent, context } = attempt;
  const { name, version } = agent;
  const work = (): Promise<AttemptResult> => runAttempt(parts, attempt);
  return parts.traceAttempt?.({ agent: name, version, context }, work) ?? work();
}

function cancelledBy(error: unknown, endedAtMs: number): DelegationChange {
  return { verdict: 'cancelled', error: reportError(error).message, endedAtMs };
}

function isLetGo(reason: unknown): boolean {
  return reason instanceof AppError && reason.code === 'workflow.run_let_go';
}

interface Learned {
  readonly result: AttemptResult;
  readonly context: CallContext;
  readonly durationMs: number;
  readonly id: string;
}

/** These say nothing of the agent. */
const untold: readonly AttemptResult['verdict'][] = ['waiting', 'refused', 'cancelled'];

/** The outcome is told by evidence; a task counts whether that could be noted or not. */
async function learn(
  parts: TryParts,
  { decisionId, decision, ready }: Option,
  { result, context, durationMs, id }: Learned,
): Promise<void> {
  if (decisionId === null || untold.includes(result.verdict)) return;
  const { name: agent, version } = ready.agent;
  const success = result.verdict === 'done' ? 1 : 0;
  try {
    const [spent = { tokens: 0, usd: 0 }] = await parts.spentBy(context.caller, [id]);
    const outcome = {
      decisionId,
      success,
      evidence: evidenceKind(result),
      durationMs,
      // What a model without a price cost is not known.
      ...((spent.tokens === 0 || spent.usd > 0) && { costUsd: spent.usd }),
      ...doneBy(decision, { agent, version }),
    };
    await parts.chooser.record(context.caller, outcome);
    // Each outcome may be the one that decides between two versions.
    await parts.versions.decide(context.caller);
  } catch (error) {
    const { message } = reportError(error);
    parts.log.warn('failed to record outcome of an agent', { agent, message });
  }
}

function evidenceKind({ verdict, evidence, made_by: madeBy }: AttemptResult): EvidenceKind {
  // Nothing was begun, though the request was right.
  if (verdict === 'failed') return madeBy === null ? 'refused' : 'failed';
  const kinds = evidence.map(({ kind }) => kind);
  // What was seen did not show that it is done.
  if (verdict !== 'done') return 'answered';
  if (kinds.includes('verified')) return 'verified';
  if (kinds.includes('tests')) return 'tests';
  return kinds.includes('findings') || kinds.includes('change') ? 'check' : 'answered';
}

export function whole(
  { error: _error, ...result }: AttemptResult,
  attempts: DelegationResult['attempts'],
): DelegationResult {
  return { ...result, attempts };
}

export function attemptOf({
  agent,
  version,
  runId,
  verdict,
  error,
}: Pick<
  DelegationRow,
  'agent' | 'version' | 'runId' | 'verdict' | 'error'
>): DelegationResult['attempts'][number] {
  return {
    agent,
    version,
    run_id: runId,
    verdict: verdict === 'running' ? 'failed' : verdict,
    error,
  };
}
