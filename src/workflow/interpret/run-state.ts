import type { ErrorReport } from '../../contract/error/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { StepStatus } from '../../contract/run/index.ts';
import type {
  ApproveInput,
  CallInput,
  Held,
  LookInput,
  Resolved,
} from '../engine/activity-data.ts';
import type { RunScope } from '../engine/run-scope.ts';
import type { CompiledPlan } from '../plan/compile-plan.ts';
import type { Lookup } from '../plan/template.ts';
import type { ItemList } from './held-list.ts';
import type { Program, ProgramStep } from './program.ts';

/**
 * What the coroutine of a run knows. All of it follows from the plan, the input and the order in which
 * keys settled.
 *
 * 1. A task has at most one key under way, and `outstanding` leads from the key to it.
 * 2. A settled step does work only for the steps that refer to it, never for the plan as a whole.
 * 3. What becomes able to start goes to `ready` and is started by the loop: nothing here recurses over
 *    steps or elements, only over plans within plans.
 */
export interface RunState {
  readonly scope: RunScope;
  readonly options: InterpretOptions;
  readonly outstanding: Map<string, Task>;
  readonly ready: Queue<Task>;
  /** Tasks that want an activity while as many as allowed are under way. */
  readonly queued: Queue<Task>;
  /** Activities under way. */
  active: number;
  outcome: RunOutcome | undefined;
}

/** One going through of a plan: the run's own, or that of a step that runs a plan. */
export interface Frame {
  readonly program: Program;
  /** What paths of its steps begin with: empty, or `outer[2]/`. */
  readonly prefix: string;
  /** The step that runs this plan, and the frame that step is in. */
  readonly owner: Task | undefined;
  readonly parent: Frame | undefined;
  readonly lookup: Lookup;
  /** By index of the step: how many of the steps it needs are not settled. */
  readonly missing: number[];
  /** By index of the step, as is what it gave; short plans are run often, so nothing is there before it is true. */
  readonly isSkipped: (true | undefined)[];
  readonly held: (Held | undefined)[];
  unsettled: number;
  /** Activities under way in it and in all plans within it. */
  active: number;
  /** What failed first. From then on nothing new starts here. */
  failure: { readonly step: string; readonly error: ErrorReport } | undefined;
  isClosed: boolean;
  /** The task `${item}` and `${index}` belong to while a template is resolved. */
  current: Task | undefined;
}

/** What a task's key under way is for; `start` before there was any. */
type Phase =
  | 'start'
  | 'when'
  | 'items'
  | 'ask'
  | 'verdict'
  | 'call'
  | 'backoff'
  | 'resolve'
  | 'repair'
  | 'sleep'
  | 'wait';

/** A step, or one element of its `forEach`. */
export interface Task {
  readonly frame: Frame;
  readonly program: ProgramStep;
  readonly path: string;
  /** Of which it is an element, and the how manieth. */
  readonly group: Group | undefined;
  readonly index: number;
  phase: Phase;
  attempt: number;
  /** Since the last repair. */
  failures: number;
  unknowns: number;
  repairs: number;
  approvalId: string | undefined;
  /** What is to be repaired. */
  error: ErrorReport | undefined;
  isCached: boolean;
  /** What the tool says about its result. */
  text: string | undefined;
  /** Corrected arguments, instead of those of the plan. */
  repaired: Resolved | undefined;
  /** The list whose elements are to be counted. */
  list: Held | undefined;
  startedAt: number | null;
  endedAt: number | null;
}

/** The elements of a `forEach`. */
export interface Group {
  readonly owner: Task;
  readonly items: ItemList;
  readonly results: (Held | undefined)[];
  begun: number;
  done: number;
  isSettled: boolean;
}

export type ActivityInput = CallInput | ApproveInput | LookInput;

/** Whether nothing new may start in a frame: it, or one it is within, has failed or is done. */
export function isStopped(frame: Frame): boolean {
  for (let at: Frame | undefined = frame; at !== undefined; at = at.parent) {
    if (at.failure !== undefined || at.isClosed) return true;
  }
  return false;
}

export function createTask(
  frame: Frame,
  program: ProgramStep,
  element?: { readonly group: Group; readonly index: number },
): Task {
  return {
    frame,
    program,
    path:
      element === undefined
        ? frame.prefix + program.compiled.id
        : `${element.group.owner.path}[${element.index}]`,
    group: element?.group,
    index: element?.index ?? 0,
    phase: 'start',
    attempt: 0,
    failures: 0,
    unknowns: 0,
    repairs: 0,
    approvalId: undefined,
    error: undefined,
    isCached: false,
    text: undefined,
    repaired: undefined,
    list: undefined,
    startedAt: null,
    endedAt: null,
  };
}

/** Final outcome of a run. */
export type RunOutcome =
  | { readonly kind: 'succeeded'; readonly output: Resolved }
  /** `step` is the path of what failed first; null when only the plan's output could not be made. */
  | { readonly kind: 'failed'; readonly step: string | null; readonly error: ErrorReport };

/** What is to run. */
export interface PlannedRun {
  readonly plan: CompiledPlan;
  /** Prepared from the plan, for plans that run more than once. */
  readonly program?: Program;
  /** As it was given; defaults are filled in by the interpreter. */
  readonly input: Readonly<Record<string, Json>>;
}

export interface InterpretOptions {
  /** Activities under way at once; sleeps and waits for signals do not count. */
  readonly maxParallel: number;
  /** Elements of one `forEach`. */
  readonly maxItems: number;
  /** Notified of every change, replayed ones included. */
  readonly observe?: (path: string, change: StepProjection) => void;
}

/**
 * How a step, or one element of a `forEach`, stands. Times are milliseconds since the epoch, null when
 * unknown.
 */
export interface StepProjection {
  readonly status: StepStatus;
  readonly tool: string | null;
  readonly held?: Held;
  /** The tool's own words about its result. */
  readonly text?: string;
  /** Also where a failed step counts as skipped (`onFailure: skip`), and while it waits for a repair. */
  readonly error?: ErrorReport;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly attempts: number;
  readonly items?: { readonly total: number; readonly done: number };
  readonly isCached?: true;
}

/** First in, first out; what was taken out is let go of in bulk, so that both ends cost the same. */
export class Queue<Item> {
  readonly #items: (Item | undefined)[] = [];
  #head = 0;

  push(item: Item): void {
    this.#items.push(item);
  }

  take(): Item | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    }
    return item;
  }
}

interface Change {
  readonly status: StepStatus;
  readonly held?: Held | undefined;
  readonly error?: ErrorReport | undefined;
  readonly items?: { readonly total: number; readonly done: number };
}

/** Reports a change to the observer, if there is one. */
export function noteChange(run: RunState, task: Task, change: Change): void {
  const { observe } = run.options;
  if (observe === undefined) return;
  const { held, error, items } = change;
  const noted: { -readonly [Key in keyof StepProjection]: StepProjection[Key] } = {
    status: change.status,
    tool: task.program.tool,
    startedAt: task.startedAt,
    endedAt: task.endedAt,
    attempts: task.attempt,
  };
  if (held !== undefined) noted.held = held;
  if (error !== undefined) noted.error = error;
  if (items !== undefined) noted.items = items;
  if (task.text !== undefined) noted.text = task.text;
  if (task.isCached) noted.isCached = true;
  observe(task.path, noted);
}

/** Queues the task for an activity; which one follows from the phase. */
export function queueActivity(
  run: RunState,
  task: Task,
  phase: Extract<Phase, 'when' | 'items' | 'ask' | 'call'>,
): void {
  task.phase = phase;
  run.queued.push(task);
}

interface Sleep {
  readonly phase: 'sleep' | 'backoff';
  readonly key: string;
  readonly ms: number;
}

export function askForSleep(run: RunState, task: Task, { phase, key, ms }: Sleep): void {
  task.phase = phase;
  run.outstanding.set(key, task);
  run.scope.sleep(key, ms);
  noteChange(run, task, { status: 'running' });
}

interface SignalWait {
  readonly phase: Extract<Phase, 'verdict' | 'resolve' | 'repair' | 'wait'>;
  readonly key: string;
  readonly signal: string;
  readonly timeoutMs?: number | undefined;
}

export function askForSignal(run: RunState, task: Task, wait: SignalWait): void {
  task.phase = wait.phase;
  run.outstanding.set(wait.key, task);
  run.scope.waitForSignal(
    wait.key,
    wait.signal,
    wait.timeoutMs === undefined ? {} : { timeoutMs: wait.timeoutMs },
  );
}
