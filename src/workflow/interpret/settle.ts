import type { ErrorReport } from '../../contract/error/index.ts';
import { AppError, reportError } from '../../kernel/index.ts';
import type { Held, Resolved } from '../engine/activity-data.ts';
import { resolveTemplate, type Template, type TemplateNode } from '../plan/template.ts';
import {
  askForSignal,
  noteChange,
  createTask,
  isStopped,
  type Frame,
  type Group,
  type RunState,
  type Task,
} from './run-state.ts';
import { listOf, recordOf } from './held-list.ts';
import { repairKey, repairSignal } from './keys.ts';

export function succeed(run: RunState, task: Task, held: Held): void {
  noteChange(run, task, { status: 'succeeded', held });
  settle(run, task, { held });
}

export function skip(run: RunState, task: Task, error?: ErrorReport): void {
  noteChange(run, task, { status: 'skipped', error });
  settle(run, task, {});
}

/** The step cannot go on: what its plan says about failures decides what becomes of it. */
export function fail(run: RunState, task: Task, failure: Failure): void {
  const { error } = failure;
  const { onFailure } = task.program;
  if (onFailure === 'skip') return skip(run, task, error);
  if (onFailure === 'repair' && isRepairable(task)) {
    task.repairs += 1;
    task.error = error;
    noteChange(run, task, { status: 'waiting', error });
    return askForSignal(run, task, {
      phase: 'repair',
      key: repairKey(task.path, task.repairs),
      signal: repairSignal(task.path, task.repairs),
    });
  }
  noteChange(run, task, { status: 'failed', error });
  settle(run, task, { failure: { step: failure.step ?? task.path, error } });
}

/** Other arguments could help only where the arguments were used, and a person is not asked twice in a row. */
function isRepairable({ phase, frame }: Task): boolean {
  return (phase === 'call' || phase === 'ask' || phase === 'verdict') && !isStopped(frame);
}

/** The step was not repaired. */
export function giveUp(run: RunState, task: Task): void {
  if (task.error !== undefined) fail(run, task, { error: task.error });
}

interface Failure {
  readonly error: ErrorReport;
  /** The path of what failed, where that is something within. */
  readonly step?: string;
}

/** For failures that were thrown: what is not explainable is a bug and goes on. */
export function failWith(run: RunState, task: Task, thrown: unknown): void {
  if (!(thrown instanceof AppError)) throw thrown;
  fail(run, task, { error: reportError(thrown) });
}

interface Settlement {
  readonly held?: Held;
  readonly failure?: { readonly step: string; readonly error: ErrorReport };
}

function settle(run: RunState, task: Task, settlement: Settlement): void {
  if (task.group === undefined) return settleStep(run, task, settlement);
  settleElement(run, task.group, { ...settlement, index: task.index });
}

function settleElement(
  run: RunState,
  group: Group,
  element: Settlement & { readonly index: number },
): void {
  const { owner, items } = group;
  group.results[element.index] = element.held;
  group.done += 1;
  if (group.isSettled) return;
  noteChange(run, owner, {
    status: 'running',
    items: { total: items.count, done: group.done },
  });
  if (element.failure !== undefined) {
    group.isSettled = true;
    noteChange(run, owner, {
      status: 'failed',
      error: element.failure.error,
      items: { total: items.count, done: group.done },
    });
    return settleStep(run, owner, { failure: element.failure });
  }
  if (group.done === items.count) {
    group.isSettled = true;
    return succeed(run, owner, listOf(group.results));
  }
  if (group.begun < items.count) beginElement(run, group);
}

export function beginElement(run: RunState, group: Group): void {
  const { frame, program } = group.owner;
  run.ready.push(createTask(frame, program, { group, index: group.begun }));
  group.begun += 1;
}

function settleStep(run: RunState, task: Task, { held, failure }: Settlement): void {
  const { frame } = task;
  if (failure !== undefined) {
    frame.failure ??= failure;
    return closeQuiet(run, frame);
  }
  const { index, neededBy } = task.program.compiled;
  if (held === undefined) frame.isSkipped[index] = true;
  else frame.held[index] = held;
  frame.unsettled -= 1;
  for (const needing of neededBy) {
    const missing = (frame.missing[needing] ?? 0) - 1;
    frame.missing[needing] = missing;
    const program = frame.program.steps[needing];
    if (missing === 0 && program !== undefined) run.ready.push(createTask(frame, program));
  }
  if (frame.unsettled === 0) complete(run, frame);
}

/** Ends what has failed as soon as nothing runs in it, from the inside out. */
export function closeQuiet(run: RunState, from: Frame): void {
  for (let frame: Frame | undefined = from; frame !== undefined; frame = frame.parent) {
    if (frame.failure === undefined || frame.active > 0 || frame.isClosed) continue;
    frame.isClosed = true;
    if (frame.owner === undefined) run.outcome = { kind: 'failed', ...frame.failure };
    else fail(run, frame.owner, frame.failure);
  }
}

function complete(run: RunState, frame: Frame): void {
  frame.isClosed = true;
  const { owner } = frame;
  let output: Resolved;
  try {
    output = outputOf(frame);
  } catch (error) {
    if (owner !== undefined) return failWith(run, owner, error);
    if (!(error instanceof AppError)) throw error;
    run.outcome = { kind: 'failed', step: null, error: reportError(error) };
    return;
  }
  if (owner === undefined) run.outcome = { kind: 'succeeded', output };
  else succeed(run, owner, output);
}

function outputOf(frame: Frame): Resolved {
  const { plan, indexById } = frame.program;
  frame.current = undefined;
  if (plan.output === undefined) {
    return recordOf(
      plan.ends.flatMap((index) => {
        const held = frame.held[index];
        const id = plan.steps[index]?.id;
        return held === undefined || id === undefined ? [] : [[id, held] as const];
      }),
    );
  }
  const isSkipped = (root: string): boolean => frame.isSkipped[indexById.get(root) ?? -1] === true;
  const template = plan.output.references.some(({ root }) => isSkipped(root))
    ? withoutSkipped(plan.output, isSkipped)
    : plan.output;
  return resolveTemplate(template, frame.lookup);
}

/** In a plan's output null stands for a skipped step, whatever of it was referred to, and nothing in a text. */
function withoutSkipped(template: Template, isSkipped: (root: string) => boolean): Template {
  const strip = (node: TemplateNode): TemplateNode => {
    switch (node.kind) {
      case 'constant':
        return node;
      case 'whole':
        return isSkipped(node.reference.root) ? { kind: 'constant', value: null } : node;
      case 'text':
        return {
          kind: 'text',
          parts: node.parts.filter((part) => typeof part === 'string' || !isSkipped(part.root)),
        };
      case 'list':
        return { kind: 'list', items: node.items.map(strip) };
      case 'object':
        return { kind: 'object', entries: node.entries.map(([key, inner]) => [key, strip(inner)]) };
    }
  };
  return { ...template, node: strip(template.node) };
}
