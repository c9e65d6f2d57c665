import type { Json } from '../../contract/plan/index.ts';
import { reportError } from '../../kernel/index.ts';
import type { Held, Resolved } from '../engine/activity-data.ts';
import { evaluateCondition } from '../plan/condition.ts';
import { parseDuration } from '../plan/read-step.ts';
import { resolveTemplate, type Template, type Lookup } from '../plan/template.ts';
import { InvalidDurationError, NotAListError, TooManyItemsError } from './errors.ts';
import { itemsOfPlace, itemsOfValue, type ItemList } from './held-list.ts';
import type { Program } from './program.ts';
import {
  askForSignal,
  askForSleep,
  queueActivity,
  noteChange,
  type Group,
  type RunState,
  type Task,
  createTask,
  type Frame,
} from './run-state.ts';
import { beginElement, fail, failWith, skip, succeed } from './settle.ts';

/** All the step needs is there: it begins, or is skipped. */
export function startStep(run: RunState, task: Task): void {
  const { frame, program } = task;
  for (const input of program.inputs) {
    if (frame.isSkipped[input] === true) return skip(run, task);
  }
  const { when } = program.compiled;
  if (when === undefined) return beginStep(run, task);
  const holds = evaluateCondition(when, frame.lookup);
  if (holds === 'unloaded') return queueActivity(run, task, 'when');
  if (holds) beginStep(run, task);
  else skip(run, task);
}

/** `when` holds. */
export function beginStep(run: RunState, task: Task): void {
  const { forEach } = task.program.compiled;
  if (forEach === undefined) return beginWork(run, task);
  try {
    const list = resolveFor(task, forEach);
    const place = wholePlace(list);
    if (place !== undefined) {
      task.list = place;
      return queueActivity(run, task, 'items');
    }
    const { value, holes = [] } = list;
    if (!Array.isArray(value)) throw new NotAListError(task.path, nameOf(value));
    beginElements(run, task, itemsOfValue(value, holes));
  } catch (error) {
    failWith(run, task, error);
  }
}

/** The place in an artifact that is all of the value. */
function wholePlace({ holes = [] }: Resolved): Extract<Held, { artifact: unknown }> | undefined {
  const [hole] = holes;
  const [part] = hole?.parts ?? [];
  const isWhole = hole?.at.length === 0 && hole.parts.length === 1;
  return isWhole && typeof part === 'object' && 'artifact' in part ? part : undefined;
}

function nameOf(value: Json): string {
  return value === null ? 'null' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** The elements of a list that lies in an artifact were counted. */
export function beginCounted(run: RunState, task: Task, count: number): void {
  const { list } = task;
  if (list === undefined || !('artifact' in list)) throw new Error(`No list of "${task.path}"`);
  beginElements(run, task, itemsOfPlace(list, count));
}

function beginElements(run: RunState, task: Task, items: ItemList): void {
  const { count } = items;
  const limit = run.options.maxItems;
  if (count > limit) {
    const error = new TooManyItemsError(task.path, { count, limit });
    return fail(run, task, { error: reportError(error) });
  }
  noteChange(run, task, { status: 'running', items: { total: count, done: 0 } });
  if (count === 0) return succeed(run, task, { value: [] });
  const group: Group = { owner: task, items, results: [], begun: 0, done: 0, isSettled: false };
  group.results.length = count;
  const first = Math.min(count, task.program.compiled.step.concurrency ?? count);
  for (let begun = 0; begun < first; begun += 1) beginElement(run, group);
}

/** What the step, or the element, is there for; after an approval where one is asked for. */
export function beginWork(run: RunState, task: Task): void {
  if (task.program.needsApproval) queueActivity(run, task, 'ask');
  else doWork(run, task);
}

/** Nothing stands against it any more. */
export function doWork(run: RunState, task: Task): void {
  const { compiled, inner } = task.program;
  switch (compiled.kind) {
    case 'call':
      return queueActivity(run, task, 'call');
    case 'sleep':
      return sleep(run, task, compiled.duration);
    case 'wait':
      noteChange(run, task, { status: 'waiting' });
      return askForSignal(run, task, {
        phase: 'wait',
        key: task.path,
        signal: compiled.signal,
        timeoutMs: compiled.timeoutMs,
      });
    case 'gate':
      throw new Error(`The gate "${task.path}" was passed without an answer`);
    case 'plan':
      if (inner !== undefined) runInner(run, task, { inner, input: compiled.input });
  }
}

function sleep(run: RunState, task: Task, duration: Template): void {
  try {
    const { value, holes } = resolveFor(task, duration);
    const ms = holes === undefined ? parseDuration(value) : undefined;
    if (ms === undefined) throw new InvalidDurationError(task.path, JSON.stringify(value));
    askForSleep(run, task, { phase: 'sleep', key: task.path, ms });
  } catch (error) {
    failWith(run, task, error);
  }
}

interface InnerPlan {
  readonly inner: NonNullable<Task['program']['inner']>;
  readonly input: Template;
}

function runInner(run: RunState, task: Task, { inner, input }: InnerPlan): void {
  try {
    const resolved = resolveFor(task, input);
    noteChange(run, task, { status: 'running' });
    openFrame(run, { program: inner, input: resolved, owner: task });
  } catch (error) {
    failWith(run, task, error);
  }
}

/** `${item}` and `${index}` are those of the task. */
export function resolveFor(task: Task, template: Template): Resolved {
  task.frame.current = task;
  return resolveTemplate(template, task.frame.lookup);
}

interface NewFrame {
  readonly program: Program;
  readonly input: Resolved;
  /** The step that runs it; none for the run's own plan. */
  readonly owner?: Task;
}

/** Begins with a plan: the steps that need nothing become ready. */
export function openFrame(run: RunState, { program, input, owner }: NewFrame): void {
  const { steps } = program.plan;
  const frame: Frame = {
    program,
    prefix: owner === undefined ? '' : `${owner.path}/`,
    owner,
    parent: owner?.frame,
    lookup: createLookup(() => frame, withDefaults(program, input), run.scope.runId),
    missing: program.needCounts.slice(),
    isSkipped: [],
    held: [],
    unsettled: steps.length,
    active: 0,
    failure: undefined,
    isClosed: false,
    current: undefined,
  };
  for (const step of program.steps) {
    if (step.compiled.needs.length === 0) run.ready.push(createTask(frame, step));
  }
}

/** Defaults stand where nothing was given; holes name places that were given, so they stay right. */
function withDefaults({ plan }: Program, input: Resolved): Held {
  const given = input.value;
  const value: Json =
    typeof given === 'object' && given !== null && !Array.isArray(given)
      ? { ...plan.inputDefaults, ...given }
      : given;
  return input.holes === undefined ? { value } : { value, holes: input.holes };
}

function createLookup(frameOf: () => Frame, input: Held, runId: string): Lookup {
  const identity: Held = { value: { id: runId } };
  return (root) => {
    const frame = frameOf();
    const index = frame.program.indexById.get(root);
    if (index !== undefined) return frame.held[index];
    switch (root) {
      case 'input':
        return input;
      case 'run':
        return identity;
      case 'item':
        return frame.current?.group?.items.at(frame.current.index);
      case 'index':
        return frame.current?.group && { value: frame.current.index };
      default:
        return undefined;
    }
  };
}
