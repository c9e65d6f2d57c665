import { z } from 'zod';
import {
  agentBudgetMetaKey,
  type AgentBudget,
  type AgentDefinition,
  type DelegateRequest,
  type DelegationResult,
  type Procedure,
} from '../../contract/agents/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { ModelRole } from '../../contract/model/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { RunView, Workflows } from '../../contract/run/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { AppError, pluralize, recordOf, reportError, type Timers } from '../../kernel/index.ts';
import { leftOf, type SpentBy, use } from './budget.ts';
import type { DelegationStore } from './delegation-store.ts';
import { Deadline, pause } from './deadline.ts';
import { missingChecks, seeEvidence, type Seen } from './evidence.ts';

/** One agent at one task: everything is known but how it ends. */
export interface Attempt {
  readonly agent: AgentDefinition;
  readonly capability: string;
  readonly procedure: Procedure | undefined;
  readonly request: DelegateRequest;
  readonly budget: AgentBudget;
  readonly context: CallContext;
  /** Permanent name of the attempt. */
  readonly id: string;
  /** Of an earlier process that died. */
  readonly sessionId: string | null;
  readonly hasParentRun: boolean;
  note(known: { readonly runId?: string; readonly sessionId?: string }): Promise<void>;
}

export interface LoopRequest {
  /** Of the models that decide what to do. */
  readonly role: ModelRole;
  readonly caller: Caller;
  readonly task: string;
  readonly instructions: string;
  readonly sessionId: string | null;
  readonly context?: string;
  readonly budget: AgentBudget;
  readonly signal: AbortSignal;
  readonly onSession: (sessionId: string) => Promise<void>;
  readonly onRun: (view: RunView) => void;
  /** Before each run that the model began. Throws where no round is left. */
  readonly onRound: () => Promise<void>;
}

/** The bounded loop with a model. */
export interface ModelLoop {
  isThere(role: ModelRole): Promise<boolean>;
  /** Answered: the model called the task over. A limit that stopped it, or a question, is no answer. */
  run(
    request: LoopRequest,
  ): Promise<{ readonly answer: string; readonly isAnswered: boolean; readonly runId?: string }>;
}

export interface AttemptParts {
  readonly store: Pick<DelegationStore, 'use' | 'used'>;
  readonly spentBy: SpentBy;
  readonly workflows: Pick<Workflows, 'start' | 'cancel' | 'show'>;
  /** Waits until a run has ended or waits for a person; asks the client where it can be asked. */
  readonly follow: (
    runId: string,
    context: CallContext,
    onChange: (view: RunView) => void,
  ) => Promise<RunView>;
  readonly loop: ModelLoop;
  readonly isOwnTool: (tool: string) => boolean;
  readonly timers: Timers;
}

export type AttemptResult = Omit<DelegationResult, 'attempts'> & { readonly error: string | null };

/** Runs an agent to the end of its attempt. Only a cancellation is thrown. */
export async function runAttempt(parts: AttemptParts, attempt: Attempt): Promise<AttemptResult> {
  const { agent, context } = attempt;
  const what = `${agent.name}@${agent.version}`;
  const limit = new Deadline(parts.timers, { what, signal: context.signal });
  try {
    return await (attempt.procedure
      ? runProcedure(parts, { ...attempt, procedure: attempt.procedure }, limit)
      : runLoop(parts, attempt, limit));
  } catch (error) {
    context.signal.throwIfAborted();
    return failure(attempt, { error, limit });
  } finally {
    limit.end();
  }
}

function failure(
  attempt: Attempt,
  { error, limit }: { readonly error: unknown; readonly limit: Deadline },
): AttemptResult {
  const { message } = reportError(limit.signal.aborted ? limit.signal.reason : error);
  const verdict = error instanceof AppError && refusals.includes(error.code) ? 'refused' : 'failed';
  return { ...nothing(attempt), verdict, summary: message, error: message };
}

/** Mistakes of the request: the agent had no part in them. */
const refusals: readonly string[] = ['workflow.invalid_input', 'workflow.nested_too_deep'];

async function runProcedure(
  parts: AttemptParts,
  attempt: Attempt & { readonly procedure: Procedure },
  limit: Deadline,
): Promise<AttemptResult> {
  const { agent, budget, context, procedure, request } = attempt;
  const declared = Object.keys(procedure.plan.input ?? {});
  const leftMs = Math.max(1, Math.floor(budget.deadlineMs - parts.timers.now()));
  const inputs: Record<string, Json> = { ...request.inputs };
  if (declared.includes('task')) inputs['task'] = request.task;
  const { runId } = await parts.workflows.start(narrowed(context.caller, budget), {
    source: {
      kind: 'data',
      plan: {
        ...procedure.plan,
        name: `${agent.name}@${agent.version}`,
        goal: request.task.slice(0, maxGoalChars),
      },
    },
    input: inputs,
    ...(request.context !== undefined &&
      declared.includes('context') && { context: request.context }),
    idempotencyKey: `agent:${attempt.id}`,
    meta: { ...context.meta, [agentBudgetMetaKey]: budget },
  });
  await attempt.note({ runId });
  limit.setTo(leftMs);
  const view = await followToEnd(parts, attempt, { runId, limit });
  if (view.status === 'waiting' || view.status === 'paused')
    return waitingResult(parts, attempt, view);
  return resultOf(parts, attempt, {
    views: [view],
    isEnded: view.status === 'succeeded',
    answer: procedure.limits ?? '',
    madeBy: 'procedure',
  });
}

const maxGoalChars = 2_000;
const waitLookMs = 500;

/** A run that waits for a person is waited for, where the caller is a run, too; the time that takes does not count. */
async function followToEnd(
  { workflows, follow, timers }: AttemptParts,
  { context, hasParentRun }: Attempt,
  { runId, limit }: { readonly runId: string; readonly limit: Deadline },
): Promise<RunView> {
  const { caller, progress, signal } = context;
  let count = 0;
  const say = (message: string): void => progress({ progress: (count += 1), message });
  const onChange = ({ status, waitingFor: [first] }: RunView): void => {
    const command = first?.kind === 'approval' ? 'approve' : 'show';
    const waits = first ? `; waits at "${first.step}": tutti runs ${command} ${runId}` : '';
    say(`run ${runId} ${status}${waits}`);
  };
  try {
    for (;;) {
      const view = await follow(runId, { ...context, signal: limit.signal }, onChange);
      const isWaiting = view.status === 'waiting' || view.status === 'paused';
      if (!isWaiting || !hasParentRun) return view;
      limit.pause();
      await pause(timers, waitLookMs, limit.signal);
      limit.goOn();
    }
  } catch (error) {
    if (signal.aborted ? isCancellation(signal.reason) : limit.signal.aborted) {
      await workflows.cancel(caller, runId, 'the task it was a part of ended').catch(ignoreEnded);
    }
    throw error;
  }
}

/** A run that has ended meanwhile needs no end. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}

/** A process that ends, or a client that is gone, did not ask for the run to end. */
const lostContact: readonly string[] = [
  'gateway.connection_closed',
  'gateway.input_expired',
  'workflow.run_let_go',
];

function isCancellation(reason: unknown): boolean {
  return !(reason instanceof AppError && lostContact.includes(reason.code));
}

/** What the runs of the loop did counts, and stops the next agent, however the loop ends. */
async function runLoop(
  parts: AttemptParts,
  attempt: Attempt,
  limit: Deadline,
): Promise<AttemptResult> {
  const { budget, context } = attempt;
  limit.setTo(budget.deadlineMs - parts.timers.now());
  const views = new Map<string, RunView>();
  try {
    return await askLoop(parts, attempt, { limit, views });
  } catch (error) {
    context.signal.throwIfAborted();
    const seen = listsOf(seeEvidence([...views.values()], parts.isOwnTool));
    const runId = [...views.keys()].at(-1) ?? null;
    return { ...failure(attempt, { error, limit }), ...seen, run_id: runId, made_by: 'model' };
  }
}

/** Asks the model again after each run that a person had to approve, with what is left of the budget. */
async function askLoop(
  parts: AttemptParts,
  attempt: Attempt,
  { limit, views }: { readonly limit: Deadline; readonly views: Map<string, RunView> },
): Promise<AttemptResult> {
  const { agent, budget, context, request } = attempt;
  const { caller } = context;
  let { sessionId } = attempt;
  const ask = async (): ReturnType<ModelLoop['run']> =>
    parts.loop.run({
      role: agent.model === 'code' ? 'code' : 'agent',
      caller: narrowed(context.caller, budget),
      task: request.task,
      instructions: agent.instructions,
      sessionId,
      ...(request.context !== undefined && { context: request.context }),
      budget: { ...budget, ...(await leftOf(parts, caller, budget)) },
      onRound: () =>
        use(parts.store, budget, { caller, unit: 'rounds', nowMs: parts.timers.now() }),
      signal: limit.signal,
      onSession: (id) => {
        sessionId = id;
        return attempt.note({ sessionId: id });
      },
      onRun: (view) => void views.set(view.runId, view),
    });
  const result = (answer: string, isEnded: boolean): AttemptResult =>
    resultOf(parts, attempt, { views: [...views.values()], isEnded, answer, madeBy: 'model' });
  let said = await ask();
  for (let waits = 1; said.runId !== undefined; waits += 1) {
    await attempt.note({ runId: said.runId });
    const view = await followToEnd(parts, attempt, { runId: said.runId, limit });
    views.set(said.runId, view);
    if (view.status === 'waiting') return waitingResult(parts, attempt, view);
    const isEnded = view.status === 'succeeded';
    if (!isEnded || sessionId === null || waits > budget.rounds) return result('', isEnded);
    said = await ask();
  }
  const last = [...views.values()].at(-1);
  return result(said.answer, said.isAnswered && (!last || last.status === 'succeeded'));
}

/** The caller with the budget's tools and no more; its role and key stay what they are. */
function narrowed(caller: Caller, { tools }: AgentBudget): Caller {
  return { ...caller, scopes: tools };
}

interface Ended {
  readonly views: readonly RunView[];
  readonly isEnded: boolean;
  readonly answer: string;
  readonly madeBy: 'procedure' | 'model';
}

function resultOf(
  parts: AttemptParts,
  attempt: Attempt,
  { views, isEnded, answer, madeBy }: Ended,
): AttemptResult {
  const { agent, procedure } = attempt;
  const seen = seeEvidence(views, parts.isOwnTool);
  const last = views.at(-1);
  const common = {
    ...nothing(attempt),
    ...listsOf(seen),
    made_by: madeBy,
    run_id: last?.runId ?? null,
  };
  const output = last?.output ?? null;
  if (!isEnded) {
    const error = last?.error?.message ?? (answer || 'it gave no result').slice(0, maxAnswerChars);
    const verdict = last?.status === 'cancelled' ? 'cancelled' : 'failed';
    return { ...common, verdict, output, summary: error, error };
  }
  const criteria = procedure?.criteria ?? agent.criteria;
  const missing = [...missingChecks(criteria, seen), ...wrongOutput(agent, output)];
  const isDone = missing.length === 0;
  return {
    ...common,
    output,
    verdict: isDone ? 'done' : 'unproven',
    confidence: isDone ? confidenceIn(seen) : openConfidence,
    missing,
    summary: summarize(seen, { missing, answer, madeBy }),
    error: null,
  };
}

const checkedConfidence = 0.9;
const ranConfidence = 0.6;
const openConfidence = 0.3;

/** That a tool ran shows less than what one found out. */
function confidenceIn({ evidence }: Seen): number {
  return evidence.some(({ kind }) => kind !== 'ran') ? checkedConfidence : ranConfidence;
}

/** The schema of an agent is for the output of its run: what does not fit is not done. */
function wrongOutput({ output: schema }: AgentDefinition, output: Json): string[] {
  if (schema === undefined) return [];
  const given = recordOf(output);
  const { required } = schema;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const absent = names
    .filter((name) => typeof name === 'string')
    .filter((name) => !Object.hasOwn(given, name));
  if (absent.length > 0) return [`the output does not fit: it lacks ${absent.join(', ')}`];
  try {
    // A JSON Schema came out of a file: what is no schema throws.
    const parsed = z.fromJSONSchema(schema).safeParse(output);
    return parsed.success
      ? []
      : [`the output does not fit: ${z.prettifyError(parsed.error).slice(0, 300)}`];
  } catch {
    return ['the output could not be compared with the schema of the agent'];
  }
}

function summarize(
  { evidence }: Seen,
  {
    missing,
    answer,
    madeBy,
  }: { missing: readonly string[]; answer: string; madeBy: Ended['madeBy'] },
): string {
  const check = evidence
    .filter(({ kind }) => kind !== 'ran')
    .map(({ tool, text }) => `${tool}: ${text}`);
  const facts =
    check.length > 0 ? `Seen: ${check.join('; ')}.` : `${pluralize(evidence.length, 'step')} ran.`;
  const open = missing.length > 0 ? ` Missing: ${missing.join('; ')}.` : '';
  const words =
    madeBy === 'model'
      ? ` The model says: ${answer.slice(0, maxAnswerChars)}`
      : answer && ` ${answer}`;
  return `${facts}${open}${words}`;
}

const maxAnswerChars = 2_000;

function waitingResult(parts: AttemptParts, attempt: Attempt, view: RunView): AttemptResult {
  const { runId, waitingFor } = view;
  const steps = waitingFor.map(({ kind, step }) => `${kind} of step "${step}"`).join(', ');
  return {
    ...nothing(attempt),
    ...listsOf(seeEvidence([view], parts.isOwnTool)),
    verdict: 'waiting',
    run_id: runId,
    made_by: attempt.procedure ? 'procedure' : 'model',
    summary: `Run ${runId} waits for a person: ${steps}. "tutti runs approve ${runId}" or "tutti runs show ${runId}"`,
    error: null,
  };
}

function listsOf({ findings, changes, artifacts, evidence }: Seen): Omit<Seen, 'facts'> {
  return { findings, changes, artifacts, evidence };
}

export function nothing({
  agent,
}: Pick<Attempt, 'agent'>): Omit<AttemptResult, 'verdict' | 'summary' | 'error'> {
  return {
    findings: [],
    changes: [],
    artifacts: [],
    evidence: [],
    confidence: 0,
    agent: agent.name,
    version: agent.version,
    run_id: null,
    made_by: null,
    output: null,
    missing: [],
  };
}
