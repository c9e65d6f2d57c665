import type { Json } from '../../contract/plan/index.ts';
import type {
  ApproveInput,
  CallInput,
  Held,
  LookInput,
  Resolved,
} from '../engine/activity-data.ts';
import type { RunScope, ActivityName } from '../engine/run-scope.ts';
import { askKey, attemptKey, itemsKey, whenKey } from './keys.ts';
import { onSettled } from './on-settled.ts';
import { prepareProgram, workTemplate } from './program.ts';
import {
  Queue,
  type InterpretOptions,
  type PlannedRun,
  type RunOutcome,
  isStopped,
  type RunState,
  noteChange,
  type ActivityInput,
  type Frame,
  type Task,
} from './run-state.ts';
import { failWith } from './settle.ts';
import { openFrame, startStep, beginWork, resolveFor } from './start.ts';

/**
 * The one coroutine of a run. Each step starts the moment its own inputs are there. Waits only for
 * `scope.next`, and passes on what that throws.
 *
 * What it asks for depends on the order in which keys settle, not on how they were put into batches.
 */
export async function interpret(
  { plan, input, program = prepareProgram(plan) }: PlannedRun,
  scope: RunScope,
  options: InterpretOptions,
): Promise<RunOutcome> {
  const run: RunState = {
    scope,
    options,
    outstanding: new Map(),
    ready: new Queue(),
    queued: new Queue(),
    active: 0,
    outcome: undefined,
  };
  openFrame(run, { program, input: { value: { ...input } } });
  goOn(run);
  while (run.outcome === undefined) {
    if (run.outstanding.size === 0) throw new Error(`Run ${scope.runId} waits for nothing`);
    for (const { key, value } of await scope.next()) {
      const task = run.outstanding.get(key);
      if (task === undefined) continue;
      run.outstanding.delete(key);
      onSettled(run, task, value);
      goOn(run);
      if (run.outcome !== undefined) break;
    }
  }
  return run.outcome;
}

/** Starts what can start. Ends, because each step, element and plan within is started once. */
function goOn(run: RunState): void {
  for (;;) {
    const ready = run.ready.take();
    if (ready !== undefined) {
      if (isStopped(ready.frame)) continue;
      if (ready.group === undefined) startStep(run, ready);
      else beginWork(run, ready);
      continue;
    }
    if (run.active >= run.options.maxParallel) return;
    const queued = run.queued.take();
    if (queued === undefined) return;
    if (!isStopped(queued.frame)) issueActivity(run, queued);
  }
}

/** There is room for one more activity: the task gets its. */
function issueActivity(run: RunState, task: Task): void {
  let described: Activity;
  try {
    described = recordedCall(run, task) ?? describe(task);
  } catch (error) {
    return failWith(run, task, error);
  }
  const { key, activity, input } = described;
  run.outstanding.set(key, task);
  run.active += 1;
  for (let at: Frame | undefined = task.frame; at !== undefined; at = at.parent) at.active += 1;
  // Inputs are plain data; interfaces just have no index signature that would say so.
  run.scope.step(key, activity, input as unknown as Json);
  noteChange(run, task, { status: 'running' });
}

interface Activity {
  readonly key: string;
  readonly activity: ActivityName;
  /** Null where the result is known. */
  readonly input: ActivityInput | null;
}

/** A call that was made had arguments, so they need not be worked out once more. */
function recordedCall({ scope }: RunState, task: Task): Activity | undefined {
  if (task.phase !== 'call' || scope.hasResult === undefined) return undefined;
  const key = attemptKey(task.path, task.attempt + 1);
  if (!scope.hasResult(key)) return undefined;
  task.attempt += 1;
  return { key, activity: 'call', input: null };
}

function describe(task: Task): Activity {
  const { path, repairs } = task;
  switch (task.phase) {
    case 'call': {
      const input = callInput(task);
      task.attempt = input.attempt;
      return { activity: 'call', input, key: attemptKey(path, input.attempt) };
    }
    case 'ask':
      return { activity: 'approve', input: approveInput(task), key: askKey(path, repairs) };
    case 'when':
      return { activity: 'look', input: conditionInput(task), key: whenKey(path) };
    case 'items':
      return { activity: 'look', input: countInput(task), key: itemsKey(path) };
    case 'start':
    case 'verdict':
    case 'backoff':
    case 'resolve':
    case 'repair':
    case 'sleep':
    case 'wait':
      throw new Error(`"${path}" needs no activity in its phase ${task.phase}`);
  }
}

function callInput(task: Task): CallInput {
  const { compiled } = task.program;
  const { step } = compiled;
  const input: Mutable<CallInput> = {
    step: task.path,
    attempt: task.attempt + 1,
    tool: task.program.tool ?? '',
    args: argsOf(task),
  };
  if (step.effect !== undefined) input.effect = step.effect;
  if (step.timeoutMs !== undefined) input.timeoutMs = step.timeoutMs;
  if (task.approvalId !== undefined) input.approvalId = task.approvalId;
  if (step.cache !== undefined && step.cache !== false) {
    input.cache = { ttlMs: step.cache === true ? null : step.cache.ttlMs };
  }
  if (step.reconcile !== undefined && compiled.kind === 'call') {
    const { tool, happened, output, finalAfterMs } = step.reconcile;
    const { reconcileArgs } = compiled;
    input.reconcile = {
      tool,
      args: reconcileArgs === undefined ? { value: {} } : resolveFor(task, reconcileArgs),
      happened,
      ...(output === undefined ? {} : { output }),
      ...(finalAfterMs === undefined ? {} : { finalAfterMs }),
    };
  }
  return input;
}

type Mutable<Data> = { -readonly [Key in keyof Data]: Data[Key] };

function approveInput(task: Task): ApproveInput {
  const { message, step } = task.program.compiled;
  const { expiresMs } = typeof step.approval === 'object' ? step.approval : {};
  return {
    step: task.path,
    tool: task.program.tool,
    args: argsOf(task),
    ...(message === undefined ? {} : { message: resolveFor(task, message) }),
    ...(expiresMs === undefined ? {} : { expiresMs }),
  };
}

function argsOf(task: Task): Resolved {
  if (task.repaired !== undefined) return task.repaired;
  const template = workTemplate(task.program.compiled);
  return template === undefined ? { value: {} } : resolveFor(task, template);
}

function conditionInput({ frame, program }: Task): LookInput {
  const { when } = program.compiled;
  const held: Record<string, Held> = {};
  for (const { root } of when?.references ?? []) {
    const found = frame.lookup(root);
    if (found !== undefined) held[root] = found;
  }
  return { kind: 'condition', text: when?.text ?? '', held };
}

function countInput({ list, path }: Task): LookInput {
  if (list === undefined) throw new Error(`No list of "${path}"`);
  return { kind: 'count', list };
}
