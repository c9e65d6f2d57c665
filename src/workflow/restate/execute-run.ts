import type {
  WorkflowContext,
  WorkflowDefinition,
  WorkflowSharedContext,
} from '@restatedev/restate-sdk';
import { z } from 'zod';
import type { Json } from '../../contract/plan/index.ts';
import { reportError } from '../../kernel/index.ts';
import { logRunBegan, logRunEnded } from '../engine/log-run.ts';
import type { RunRecord } from '../engine/run-store.ts';
import { RunIsTakenError, RunTimedOutError } from '../errors.ts';
import { RecordedOrder, settledEntries } from '../interpret/index.ts';
import { isOver } from '../runs/find-run.ts';
import { RunNotHereError } from './errors.ts';
import { runWorkflowName } from './restate-client.ts';
import {
  type RestateEngineParts,
  RunStopped,
  type RestateSdk,
  roundOf,
  type Submission,
  type RestateLimits,
  submissionSchema,
} from './restate-engine.ts';
import { RestateScope, cancelPromise, signalPromise } from './restate-scope.ts';
import { RunAttempt, type WorkerLeases } from './run-attempt.ts';

export interface ExecuteRunParts extends RestateEngineParts {
  readonly sdk: RestateSdk;
  readonly leases: WorkerLeases;
  /** Those that are not over. */
  readonly attempts: Set<RunAttempt>;
}

interface Stage {
  readonly run: RunRecord;
  /** Undefined when the run is over: then it is gone through once more, and nothing happens. */
  readonly attempt: RunAttempt | undefined;
  readonly recorded: RecordedOrder;
}

/**
 * Goes through a run for Restate: what Restate recorded is replayed, the rest is executed. Throws when
 * the attempt is to be repeated. Gives the status the run ended with.
 */
export async function executeRun(
  parts: ExecuteRunParts,
  ctx: WorkflowContext,
  submission: Submission,
): Promise<string> {
  const stage = await setStage(parts, submission);
  const { run, attempt } = stage;
  if (attempt) parts.attempts.add(attempt);
  const whenOver = (): void => void closeAttempt(parts, attempt);
  // A suspended attempt never returns: this is how one hears of it.
  ctx.request().attemptCompletedSignal.addEventListener('abort', whenOver, { once: true });
  try {
    const scope = createScope(parts, ctx, { ...stage, limitMs: submission.limitMs });
    const end = await goThrough(parts, run, scope);
    await attempt?.end(end.status, end.outcome);
    if (attempt) logRunEnded(parts.log, run, end);
    return end.status;
  } finally {
    await closeAttempt(parts, attempt);
  }
}

async function closeAttempt(
  { attempts, log }: ExecuteRunParts,
  attempt: RunAttempt | undefined,
): Promise<void> {
  if (!attempt) return;
  try {
    await attempt.close();
  } catch (error) {
    log.warn('attempt at a run not closed', { error });
  }
  attempts.delete(attempt);
}

async function setStage(parts: ExecuteRunParts, submission: Submission): Promise<Stage> {
  const { store } = parts;
  const { runId, round, recorded } = submission;
  const run = await store.find(null, runId);
  if (run?.runId !== runId) throw new RunNotHereError(runId);
  const entries = await store.journal(runId);
  const isPast = isOver(run.status) || roundOf(entries) !== round;
  const attempt = isPast ? undefined : await RunAttempt.begin(parts, run, entries);
  if (attempt) logRunBegan(parts.log, run, { hasHistory: entries.length > 0 });
  return { run, attempt, recorded: new RecordedOrder(settledEntries(entries.slice(0, recorded))) };
}

function createScope(
  { sdk, timers }: ExecuteRunParts,
  ctx: WorkflowContext,
  { run, attempt, recorded, limitMs }: Stage & { readonly limitMs: number | null },
): RestateScope {
  const over = (): Promise<never> =>
    Promise.reject(new sdk.TerminalError(`run ${run.runId} is over`));
  return new RestateScope({
    runId: run.runId,
    sdk,
    ctx,
    recorded,
    limitMs,
    perform: (...request) => attempt?.perform(...request) ?? over(),
    notes: attempt?.notes,
    now: () => timers.now(),
    checkHeld: () => attempt?.checkHeld(),
    onWaiting: (isWaiting) => attempt?.showWaiting(isWaiting),
  });
}

interface End {
  readonly status: 'succeeded' | 'failed' | 'cancelled';
  readonly outcome: Json;
}

async function goThrough(
  parts: ExecuteRunParts,
  run: RunRecord,
  scope: RestateScope,
): Promise<End> {
  try {
    return await parts.interpret(run, scope);
  } catch (error) {
    if (error instanceof RunStopped) return endOf(await latest(parts, run), error);
    // What Restate throws is Restate's to handle; all else is a bug, which would only happen again.
    if (error instanceof parts.sdk.RestateError) throw error;
    parts.log.error('run failed by a bug', { runId: run.runId, error });
    return failedBy(error);
  }
}

/** With the reason of a cancellation that came after the attempt began. */
async function latest({ store }: ExecuteRunParts, run: RunRecord): Promise<RunRecord> {
  return (await store.find(null, run.runId)) ?? run;
}

function endOf(run: RunRecord, { reason }: RunStopped): End {
  switch (reason) {
    case 'cancelled':
      return { status: 'cancelled', outcome: { kind: 'cancelled', reason: run.requestReason } };
    case 'too-long':
      return failedBy(new RunTimedOutError(run.runId));
    case 'lost':
      throw new RunIsTakenError(run.runId);
  }
}

function failedBy(error: unknown): End {
  const report = reportError(error);
  // Details of errors are plain JSON.
  const details = JSON.parse(JSON.stringify(report.details)) as Json;
  return {
    status: 'failed',
    outcome: { kind: 'failed', step: null, error: { ...report, details } },
  };
}

/**
 * While no worker is there, every attempt to reach one counts. Restate gives a run up to a person after
 * the last, which must not happen because workers were away for a weekend.
 */
const maxAttempts = 1_000_000_000;
const firstRetryMs = 100;
const lastRetryMs = 5_000;

const signalInput = z.object({ name: z.string().min(1), payload: z.json() });

interface RunWorkflowParts {
  readonly sdk: RestateSdk;
  readonly limits: RestateLimits;
  readonly execute: (ctx: WorkflowContext, submission: Submission) => Promise<string>;
}

/** A run, as Restate sees it: a workflow with the run's id as its key. */
export function defineRunWorkflow(parts: RunWorkflowParts): WorkflowDefinition<string, unknown> {
  const { sdk, limits, execute } = parts;
  return sdk.workflow({
    name: runWorkflowName,
    handlers: {
      run: (ctx: WorkflowContext, input: unknown) =>
        execute(ctx, parsed(sdk, submissionSchema, input)),
      signal: sdk.handlers.workflow.shared((ctx: WorkflowSharedContext, input: unknown) => {
        const { name, payload } = parsed(sdk, signalInput, input);
        return resolveOnce(ctx, signalPromise(name), payload);
      }),
      cancel: sdk.handlers.workflow.shared((ctx: WorkflowSharedContext) =>
        resolveOnce(ctx, cancelPromise, null),
      ),
    },
    options: {
      inactivityTimeout: limits.inactivityMs,
      abortTimeout: limits.abortMs,
      workflowRetention: limits.retentionMs,
      retryPolicy: {
        initialInterval: firstRetryMs,
        maxInterval: lastRetryMs,
        exponentiationFactor: 2,
        maxAttempts,
        onMaxAttempts: 'pause',
      },
    },
  });
}

/** The first value counts; a second one changes nothing and is no mistake. */
async function resolveOnce(ctx: WorkflowSharedContext, name: string, value: Json): Promise<void> {
  const promise = ctx.promise<Json>(name);
  const given = await promise.peek();
  if (given === undefined) await promise.resolve(value);
}

/** Malformed input is refused for good, not retried. */
function parsed<Value>(sdk: RestateSdk, schema: z.ZodType<Value>, input: unknown): Value {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new sdk.TerminalError(z.prettifyError(result.error), { errorCode: 400 });
}
