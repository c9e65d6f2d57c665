import type { ErrorReport } from '../../contract/error/index.ts';
import type {
  ApproveInput,
  CallInput,
  Held,
  LookInput,
  Resolved,
} from '../engine/activity-data.ts';
import type { RunScope } from '../engine/run-scope.ts';
import type { Lookup } from '../plan/template.ts';
import type { ItemList } from './held-list.ts';
import type { Program, ProgramStep } from './program.ts';
import type { Queue } from './queue.ts';
import type { InterpretOptions, RunOutcome } from './run-outcome.ts';

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
export type Phase =
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
