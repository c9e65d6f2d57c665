import { randomUUID } from 'node:crypto';
import {
  type AgentBudget,
  type Choice,
  type DelegateRequest,
  type DelegationResult,
  delegationResultSchema,
  type ExplainedDelegation,
} from '../../contract/agents/index.ts';
import { budgetsMetaKey } from '../../contract/model/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { idempotencyMetaKey } from '../../contract/tool/index.ts';
import { BudgetExceededError, InvalidTaskError, UnavailableAgentError } from '../errors.ts';
import {
  choiceRequest,
  inOrder,
  modelsThere,
  type Option,
  optionsFor,
  rememberedOrder,
  type Task,
} from './agent-options.ts';
import type { Beside } from './beside.ts';
import { budgetOf, type Left } from './budget.ts';
import type { DelegationRow, DelegationStore } from './delegation-store.ts';
import { shadowSuffix } from './judge.ts';
import type { AttemptResult } from './run-attempt.ts';
import { attemptOf, tryOne, type TryParts, whole } from './try-agent.ts';

export interface DelegateParts extends TryParts {
  readonly beside: Beside;
  /** What a caller may call, `server.tool`. */
  readonly toolsFor: (caller: CallContext['caller']) => Promise<readonly string[]>;
  /** Where the task is done, as far as that is known: success is learned for each by itself. */
  readonly project: () => Promise<string | undefined>;
  /** The id of a version of a context: the same for all tasks of a run. */
  readonly pinContext: (
    caller: CallContext['caller'],
    wanted: { readonly ref: string; readonly runId: string | null },
  ) => Promise<string>;
}

const maxTaskChars = 20_000;

/** Has a task done by an agent, or by the next one where that helps. */
export async function delegate(
  parts: DelegateParts,
  given: DelegateRequest,
  context: CallContext,
): Promise<DelegationResult> {
  const task = await openTask(parts, given, context);
  const before = await parts.store.attempts(context.caller.id, task.key);
  const decided = before.at(-1);
  const settled = decided && settledResult(decided);
  if (settled && settled.verdict !== 'failed') return settled;
  const { order, shadow } = decided
    ? { order: await rememberedOrder(parts.registry, task, decided), shadow: undefined }
    : await decide(parts, task, context);
  const isLast = before.length >= Math.min(order.length, parts.limits.attempts);
  if (settled && (isLast || settled.changes.length > 0)) return settled;
  const own = tryInOrder(parts, { ...task, order, before }, context);
  if (!shadow) return own;
  await compareBeside(parts, { ...task, order: [shadow] }, { context, own });
  return own;
}

/** The answer does not wait for a shadow, nor share its limits with one; what becomes of it is recorded. */
async function compareBeside(
  parts: DelegateParts,
  task: Omit<OrderedTask, 'before'>,
  { context, own }: { readonly context: CallContext; readonly own: Promise<unknown> },
): Promise<void> {
  const key = `${task.key}${shadowSuffix}`;
  const budget = { ...task.budget, tasks: [{ id: key, ...limitsIn(task.budget) }] };
  const cancel = new AbortController();
  const stop = (): void => cancel.abort(context.signal.reason);
  context.signal.addEventListener('abort', stop, { once: true });
  parts.beside.begin(cancel.signal, (signal) => {
    const { client: _client, ...quiet } = context;
    const alone = { ...quiet, signal, progress: () => {} };
    return tryInOrder(parts, { ...task, key, budget, before: [] }, alone);
  });
  try {
    await own;
  } finally {
    // Who has the answer may leave.
    context.signal.removeEventListener('abort', stop);
  }
}

async function openTask(
  parts: DelegateParts,
  given: DelegateRequest,
  context: CallContext,
): Promise<Task> {
  const { agent, capability, task } = given;
  if ((agent === undefined) === (capability === undefined)) {
    throw new InvalidTaskError('name an agent, or a capability, and just one of the two');
  }
  if (task.trim() === '' || task.length > maxTaskChars) {
    throw new InvalidTaskError(`the task is a text of 1 to ${maxTaskChars} characters`);
  }
  const named = context.meta[idempotencyMetaKey];
  const key = typeof named === 'string' ? named : `call:${randomUUID()}`;
  const [parent = ''] = listOf(context.meta[budgetsMetaKey]);
  const parentRun = parent.startsWith('run:') ? parent.slice('run:'.length) : null;
  const tools = await parts.toolsFor(context.caller);
  const nowMs = parts.timers.now();
  const budget = budgetOf(context.meta, { key, limits: parts.limits, tools, nowMs });
  const pinned =
    given.context === undefined
      ? {}
      : {
          context: await parts.pinContext(context.caller, {
            ref: given.context,
            runId: parentRun,
          }),
        };
  return {
    key,
    request: { ...given, ...pinned },
    // All attempts share what there is.
    budget: { ...budget, tasks: [...budget.tasks, { id: key, ...limitsIn(budget) }] },
    parentRun,
    parentStep:
      parentRun !== null && key.startsWith(`${parentRun}:`) ? (key.split(':')[1] ?? null) : null,
    capability,
    models: await modelsThere(parts.loop),
  };
}

function limitsIn({ calls, rounds, tokens, moneyUsd }: AgentBudget): Left {
  return { calls, rounds, tokens, moneyUsd };
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The same call, sent again after it ended, gets what it got. */
function settledResult({ verdict, result }: DelegationRow): DelegationResult | undefined {
  if (verdict === 'running' || verdict === 'waiting') return undefined;
  return delegationResultSchema.safeParse(result).data;
}

async function decide(
  parts: DelegateParts,
  task: Task,
  context: CallContext,
): Promise<{ readonly order: readonly Option[]; readonly shadow?: Option }> {
  const { caller } = context;
  const options = await optionsFor(parts.registry, task, caller);
  const mayExplore = options.every(({ ready }) => ready.isReading);
  const choice = await parts.chooser.choose(
    choiceRequest(options, {
      request: task.request,
      caller,
      mayExplore,
      project: await parts.project(),
    }),
  );
  const order = inOrder(options, choice);
  const beside = choice.shadow && inOrder(options, shadowOf(choice, choice.shadow))[0];
  // It runs beside the chosen one, so it may change nothing.
  return { order, ...(beside?.ready.isReading === true && { shadow: beside }) };
}

function shadowOf(choice: Choice, shadow: NonNullable<Choice['shadow']>): Choice {
  const { agent, version, decisionId } = shadow;
  const order = choice.order.filter((one) => one.agent === agent && one.version === version);
  return { ...choice, decisionId, chosen: { agent, version }, order };
}

/** One that others can follow gets half of the time: a hanging agent must leave some to the next. */
function shareOf(
  budget: AgentBudget,
  { hasNext, nowMs }: { readonly hasNext: boolean; readonly nowMs: number },
): AgentBudget {
  if (!hasNext) return budget;
  return { ...budget, deadlineMs: nowMs + (budget.deadlineMs - nowMs) / 2 };
}

interface OrderedTask extends Task {
  readonly order: readonly Option[];
  readonly before: readonly DelegationRow[];
}

async function tryInOrder(
  parts: DelegateParts,
  task: OrderedTask,
  context: CallContext,
): Promise<DelegationResult> {
  const { before, order } = task;
  const tried: AttemptResult[] = [];
  const attempts: DelegationResult['attempts'] = [];
  const first =
    before.at(-1)?.verdict === 'running' || before.at(-1)?.verdict === 'waiting'
      ? before.length - 1
      : before.length;
  for (const row of before.slice(0, first)) attempts.push(attemptOf(row));
  const count = Math.min(order.length, parts.limits.attempts);
  for (let index = first; index < count; index += 1) {
    const option = order[index];
    if (!option) break;
    const budget = shareOf(task.budget, { hasNext: index + 1 < count, nowMs: parts.timers.now() });
    const one = { ...task, budget, option, index, attempts, isBegun: index < before.length };
    const result = await tryOne(parts, one, context).catch((error: unknown) => {
      return nextCannotBegin(tried.at(-1), error);
    });
    if (tried.includes(result)) return whole(result, attempts);
    tried.push(result);
    attempts.push(
      attemptOf({
        ...result,
        runId: result.run_id,
        agent: result.agent ?? '',
        version: result.version ?? '',
      }),
    );
    // What was changed would be changed again, on top.
    if (result.verdict !== 'failed' || result.changes.length > 0) break;
  }
  const last = tried.at(-1);
  if (!last)
    throw new UnavailableAgentError(
      task.request.agent ?? task.capability ?? '',
      'every attempt is used up',
    );
  return whole(last, attempts);
}

/** What an agent failed with stays the result where nothing is left for the next. */
function nextCannotBegin(failed: AttemptResult | undefined, error: unknown): AttemptResult {
  if (!failed || !(error instanceof BudgetExceededError)) throw error;
  failed.summary = `${failed.summary}. No other agent began: ${error.message}`;
  return failed;
}

const maxTreeDepth = 8;

/** The decisions of a run, with those of the runs they started. */
export async function explainRun(
  store: DelegationStore,
  callerId: string,
  runId: string,
): Promise<readonly ExplainedDelegation[]> {
  const rows = await store.ofRun(callerId, runId);
  const own = rows.filter((row) => row.runId === runId);
  const roots = own.length > 0 ? own : rows;
  return Promise.all(roots.map((row) => explainRow(store, row, maxTreeDepth)));
}

async function explainRow(
  store: DelegationStore,
  row: DelegationRow,
  depth: number,
): Promise<ExplainedDelegation> {
  const { runId, callerId, startedAtMs, endedAtMs } = row;
  const below = runId === null || depth === 0 ? [] : await store.ofRun(callerId, runId);
  const inner = below.filter(({ parentRun }) => parentRun === runId);
  const {
    key,
    attempt,
    agent,
    version,
    capability,
    task,
    decision,
    parentRun,
    parentStep,
    verdict,
    error,
  } = row;
  return {
    key,
    attempt,
    agent,
    version,
    capability,
    task,
    decision,
    parentRun,
    parentStep,
    runId,
    verdict,
    error,
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
    children: await Promise.all(inner.map((one) => explainRow(store, one, depth - 1))),
  };
}
