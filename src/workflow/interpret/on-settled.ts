import type { ErrorReport } from '../../contract/error/index.ts';
import type { Json, RetryPolicy } from '../../contract/plan/index.ts';
import { reportError } from '../../kernel/index.ts';
import type { ApproveOutcome, CallOutcome, LookOutcome } from '../engine/activity-data.ts';
import type { SignalResult } from '../engine/run-scope.ts';
import {
  ApprovalDeniedError,
  ApprovalExpiredError,
  InvalidAnswerError,
  OutcomeUnknownError,
  WaitTimedOutError,
} from './errors.ts';
import { approvalSignal, backoffKey, resolveKey, resolveSignal, verdictKey } from './keys.ts';
import {
  askForSignal,
  askForSleep,
  queueActivity,
  noteChange,
  isStopped,
  type Frame,
  type RunState,
  type Task,
} from './run-state.ts';
import { closeQuiet, fail, giveUp, skip, succeed } from './settle.ts';
import { beginCounted, beginStep, beginWork, doWork } from './start.ts';

/**
 * The key a task had under way settled. In a plan that has stopped, what was under way comes to its
 * outcome and nothing follows from it; sleeps and waits were given up there.
 */
export function onSettled(run: RunState, task: Task, value: Json): void {
  switch (task.phase) {
    case 'call':
    case 'ask':
    case 'when':
    case 'items':
      run.active -= 1;
      for (let at: Frame | undefined = task.frame; at !== undefined; at = at.parent) at.active -= 1;
      onActivity(run, task, value);
      closeQuiet(run, task.frame);
      return;
    case 'backoff':
    case 'sleep':
    case 'wait':
    case 'verdict':
    case 'resolve':
    case 'repair':
      if (!isStopped(task.frame)) onWaited(run, task, value);
      return;
    case 'start':
      throw new Error(`"${task.path}" has nothing under way`);
  }
}

/** The values are what our own activities gave, kept as plain data: their types are known by the phase. */
function onActivity(run: RunState, task: Task, value: unknown): void {
  if (task.phase === 'call') return onCalled(run, task, value as CallOutcome);
  const outcome = value as ApproveOutcome | LookOutcome;
  if (outcome.kind === 'failed') return fail(run, task, { error: outcome.error });
  if (isStopped(task.frame)) return;
  switch (outcome.kind) {
    case 'asked':
      task.approvalId = outcome.approvalId;
      task.startedAt ??= outcome.startedAt;
      noteChange(run, task, { status: 'waiting' });
      return askForSignal(run, task, {
        phase: 'verdict',
        key: verdictKey(task.path, task.repairs),
        signal: approvalSignal(outcome.approvalId),
        timeoutMs: outcome.expiresInMs,
      });
    case 'condition':
      return outcome.holds ? beginStep(run, task) : skip(run, task);
    case 'count':
      return beginCounted(run, task, outcome.count);
  }
}

function onCalled(run: RunState, task: Task, outcome: CallOutcome): void {
  task.startedAt ??= outcome.startedAt;
  task.endedAt = outcome.endedAt;
  switch (outcome.kind) {
    case 'succeeded':
      if (outcome.isCached === true) task.isCached = true;
      task.text = outcome.text;
      return succeed(run, task, outcome.held);
    case 'failed':
      task.failures += 1;
      return onFailedAttempt(run, task, outcome);
    case 'unknown':
      task.unknowns += 1;
      noteChange(run, task, {
        status: 'unknown',
        error: reportError(new OutcomeUnknownError(task.path, outcome)),
      });
      if (isStopped(task.frame)) return;
      return askForSignal(run, task, {
        phase: 'resolve',
        key: resolveKey(task.path, task.attempt),
        signal: resolveSignal(task.path, task.unknowns),
      });
  }
}

function onFailedAttempt(
  run: RunState,
  task: Task,
  outcome: Extract<CallOutcome, { kind: 'failed' }>,
): void {
  const { error } = outcome;
  const { retry } = task.program.compiled;
  const isLast =
    task.failures >= retry.attempts ||
    !isRetried(retry, error, outcome.isRetryable) ||
    isStopped(task.frame);
  if (isLast) return fail(run, task, { error });
  const key = backoffKey(task.path, task.attempt);
  const ms = backoffMs(retry, task.failures, `${run.scope.runId} ${key}`);
  if (ms === 0) return queueActivity(run, task, 'call');
  askForSleep(run, task, { phase: 'backoff', key, ms });
}

function onWaited(run: RunState, task: Task, value: Json): void {
  if (task.phase === 'backoff') return queueActivity(run, task, 'call');
  if (task.phase === 'sleep') return succeed(run, task, { value: null });
  // Engines settle waits for signals with this.
  const result = value as SignalResult;
  const payload = 'payload' in result ? result.payload : undefined;
  if (task.phase === 'verdict') return onVerdict(run, task, payload);
  if (task.phase === 'resolve') return onResolved(run, task, payload);
  if (task.phase === 'repair') return onRepaired(run, task, payload);
  if (payload === undefined) timedOut(run, task);
  else succeed(run, task, { value: payload });
}

function timedOut(run: RunState, task: Task): void {
  const { compiled } = task.program;
  const { signal, timeoutMs } =
    compiled.kind === 'wait' ? compiled : { signal: '', timeoutMs: undefined };
  fail(run, task, { error: reportError(new WaitTimedOutError(task.path, { signal, timeoutMs })) });
}

/** Signals come from outside: only what says so is taken for a yes. */
function onVerdict(run: RunState, task: Task, payload: Json | undefined): void {
  if (payload === undefined) {
    return fail(run, task, { error: reportError(new ApprovalExpiredError(task.path)) });
  }
  const { atMs, ...verdict } = Object(payload);
  const isGate = task.program.compiled.kind === 'gate';
  if (isGate && typeof atMs === 'number') task.endedAt = atMs;
  if (member(payload, 'verdict') !== 'approved') {
    const [by, reason] = [member(payload, 'by'), member(payload, 'reason')];
    const error = new ApprovalDeniedError(task.path, {
      by: typeof by === 'string' ? by : 'unknown',
      reason: typeof reason === 'string' ? reason : undefined,
    });
    return fail(run, task, { error: reportError(error) });
  }
  if (isGate) return succeed(run, task, { value: verdict });
  // The step's time is that of its call, without the wait for a person.
  task.startedAt = null;
  doWork(run, task);
}

function onResolved(run: RunState, task: Task, payload: Json | undefined): void {
  const kind = member(payload, 'kind');
  if (kind === 'happened') {
    return succeed(run, task, { value: member(payload, 'output') ?? null });
  }
  if (kind === 'not-happened') return queueActivity(run, task, 'call');
  fail(run, task, { error: reportError(new InvalidAnswerError(task.path)) });
}

function onRepaired(run: RunState, task: Task, payload: Json | undefined): void {
  const args = member(payload, 'args');
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return giveUp(run, task);
  }
  task.repaired = { value: args };
  task.failures = 0;
  beginWork(run, task);
}

function member(value: Json | undefined, name: string): Json | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Whether a failure is tried again, before attempts are counted. */
function isRetried(policy: RetryPolicy, error: ErrorReport, isRetryable: boolean): boolean {
  if (policy.on === undefined) return isRetryable;
  return policy.on.some((pattern) =>
    pattern.endsWith('*') ? error.code.startsWith(pattern.slice(0, -1)) : error.code === pattern,
  );
}

/**
 * The pause after this many failures. What is left to chance follows from the seed alone, so that a
 * resumed run pauses as long as the first time.
 */
function backoffMs(policy: RetryPolicy, failures: number, seed: string): number {
  const full = Math.min(policy.maxBackoffMs, policy.backoffMs * policy.factor ** (failures - 1));
  return Math.round(full * (1 - policy.jitter * chance(seed)));
}

/** A number in [0, 1) made of a text: FNV-1a, with its bits mixed once more. */
function chance(seed: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < seed.length; at += 1) {
    hash = Math.imul(hash ^ seed.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 4_294_967_296;
}
