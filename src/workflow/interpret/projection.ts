import type { ErrorReport } from '../../contract/error/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { ApproveInput, Resolved } from '../engine/activity-data.ts';
import type { ActivityName, RunScope, Settled } from '../engine/run-scope.ts';
import type { JournalEntry, SignalRecord } from '../engine/run-store.ts';
import type { CompiledPlan, CompiledStep } from '../plan/compile-plan.ts';
import { interpret } from './interpret.ts';
import { aroundOf, pathOfKey, approvalSignal, askKeyOfVerdict } from './keys.ts';
import { RecordedOrder, settledEntries } from './recorded-order.ts';
import type { InterpretOptions, RunOutcome, StepProjection, PlannedRun } from './run-state.ts';

/** How a run stands: its plan is gone through once more with what was recorded, and nothing is executed. */
export async function projectRun(run: RecordedRun): Promise<RunProjection> {
  const scope = new ReplayScope(run);
  const changes = new Map<string, StepProjection>();
  const outcome = await replay(run, scope, (path, change) => {
    const items = change.items ?? changes.get(path)?.items;
    changes.set(path, items === undefined ? change : { ...change, items });
  });
  const steps: Map<string, StepProjection> = changes;
  const givenUp = [...changes].filter(
    ([path, { status }]) => isUnderway(status) && (outcome !== undefined || isOver(path, changes)),
  );
  for (const [path, change] of givenUp) steps.set(path, { ...change, status: 'cancelled' });
  fillInTimes(steps, run.entries, scope.sleepsMs);
  return {
    steps: orderSteps(run.plan, steps),
    waitingFor: outcome === undefined ? waitsOf({ scope, steps, entries: run.entries }) : [],
    ...(outcome === undefined ? {} : { outcome }),
  };
}

async function replay(
  run: RecordedRun,
  scope: ReplayScope,
  observe: NonNullable<InterpretOptions['observe']>,
): Promise<RunOutcome | undefined> {
  const { maxItems, maxParallel = Infinity } = run;
  try {
    return await interpret(run, scope, { maxItems, maxParallel, observe });
  } catch (error) {
    if (error instanceof ReplayOver) return undefined;
    throw error;
  }
}

function isUnderway(status: StepProjection['status']): boolean {
  return status === 'running' || status === 'waiting';
}

/** Whether something the step is within has come to its end without it. */
function isOver(path: string, changes: ReadonlyMap<string, StepProjection>): boolean {
  for (let around = aroundOf(path); around !== undefined; around = aroundOf(around)) {
    const change = changes.get(around);
    if (change !== undefined && !isUnderway(change.status)) return true;
  }
  return false;
}

/** When sleeps began and ended, when calls under way began, and both for what has steps or elements within. */
function fillInTimes(
  steps: Map<string, StepProjection>,
  entries: readonly JournalEntry[],
  sleepsMs: ReadonlyMap<string, number>,
): void {
  for (const entry of entries) {
    if (entry.kind !== 'began' && entry.kind !== 'due') continue;
    const path = pathOfKey(entry.key);
    const step = steps.get(path);
    const sleepMs = sleepsMs.get(path);
    if (step === undefined) continue;
    if (entry.kind === 'began') {
      steps.set(path, { ...step, startedAt: step.startedAt ?? entry.atMs });
    } else if (entry.key === path && sleepMs !== undefined) {
      const endedAt = step.status === 'succeeded' ? entry.atMs : null;
      steps.set(path, { ...step, startedAt: entry.atMs - sleepMs, endedAt });
    }
  }
  // What is within something comes later than it, so going backwards the inner times are complete.
  for (const path of [...steps.keys()].toReversed()) {
    const around = aroundOf(path);
    const [inner, outer] = around === undefined ? [] : [steps.get(path), steps.get(around)];
    if (around === undefined || inner === undefined || outer === undefined) continue;
    steps.set(around, {
      ...outer,
      startedAt: combine(Math.min, outer.startedAt, inner.startedAt),
      endedAt: isUnderway(outer.status) ? null : combine(Math.max, outer.endedAt, inner.endedAt),
    });
  }
}

function combine(
  choose: (one: number, other: number) => number,
  one: number | null,
  other: number | null,
): number | null {
  return one === null || other === null ? (one ?? other) : choose(one, other);
}

interface Replayed {
  readonly scope: ReplayScope;
  readonly steps: ReadonlyMap<string, StepProjection>;
  readonly entries: readonly JournalEntry[];
}

function waitsOf({ scope, steps, entries }: Replayed): ProjectedWait[] {
  const dueMs = new Map<string, number>();
  for (const entry of entries) if (entry.kind === 'due') dueMs.set(entry.key, entry.atMs);
  return [...scope.waits].flatMap(([key, signal]) => {
    const step = steps.get(pathOfKey(key));
    if (step === undefined || (step.status !== 'waiting' && step.status !== 'unknown')) return [];
    return [projectWait({ key, signal, step, dueMs: dueMs.get(key), approvals: scope.approvals })];
  });
}

/** Gives back what was recorded and executes nothing; `next` throws `ReplayOver` at the end of it. */
class ReplayScope implements RunScope {
  readonly runId: string;
  /** Waits that nothing recorded answers: the names of their signals, by key. */
  readonly waits = new Map<string, string>();
  readonly approvals = new Map<string, ApproveInput>();
  /** How long the sleeps are, by key. */
  readonly sleepsMs = new Map<string, number>();
  readonly #recorded: RecordedOrder;
  readonly #signals: ReadonlyMap<string, Json>;
  #answered: Settled[] = [];

  constructor(run: RecordedRun) {
    this.runId = run.runId;
    this.#recorded = new RecordedOrder(settledEntries(run.entries));
    this.#signals = new Map(run.signals.map(({ name, payload }) => [name, payload]));
  }

  hasResult(key: string): boolean {
    return this.#recorded.has(key);
  }

  step(key: string, activity: ActivityName, input: Json): void {
    this.#recorded.ask(key);
    // The interpreter asks for this activity with nothing else.
    if (activity === 'approve') this.approvals.set(key, input as unknown as ApproveInput);
  }

  sleep(key: string, ms: number): void {
    this.#recorded.ask(key);
    this.sleepsMs.set(key, ms);
  }

  waitForSignal(key: string, name: string): void {
    if (this.#recorded.ask(key)) return;
    const payload = this.#signals.get(name);
    if (payload === undefined) this.waits.set(key, name);
    else this.#answered.push({ key, value: { payload } });
  }

  next(): Promise<readonly Settled[]> {
    const recorded = this.#recorded.take();
    if (recorded.length > 0) return Promise.resolve(recorded);
    const answered = this.#answered;
    this.#answered = [];
    return answered.length > 0 ? Promise.resolve(answered) : Promise.reject(new ReplayOver());
  }
}

/** Not a failure: what was recorded has been gone through. */
class ReplayOver extends Error {}

/** All steps of a plan in its order, those not begun yet among them. */
function orderSteps(
  plan: CompiledPlan,
  known: ReadonlyMap<string, StepProjection>,
): ReadonlyMap<string, StepProjection> {
  const ordered = new Map<string, StepProjection>();
  addSteps({ plan, prefix: '' }, known, ordered);
  return ordered;
}

interface Place {
  readonly plan: CompiledPlan;
  readonly prefix: string;
}

function addSteps(
  { plan, prefix }: Place,
  known: ReadonlyMap<string, StepProjection>,
  ordered: Map<string, StepProjection>,
): void {
  for (const step of plan.steps) {
    const path = prefix + step.id;
    const found = known.get(path);
    ordered.set(path, found ?? notBegun(step));
    if (step.forEach === undefined) {
      if (step.kind === 'plan') addSteps({ plan: step.plan, prefix: `${path}/` }, known, ordered);
      continue;
    }
    for (let index = 0; index < (found?.items?.total ?? 0); index += 1) {
      const elementPath = `${path}[${index}]`;
      const element = known.get(elementPath);
      if (element === undefined) continue;
      ordered.set(elementPath, element);
      if (step.kind === 'plan') {
        addSteps({ plan: step.plan, prefix: `${elementPath}/` }, known, ordered);
      }
    }
  }
}

function notBegun(step: CompiledStep): StepProjection {
  return {
    status: 'pending',
    tool: step.kind === 'call' ? step.tool : null,
    startedAt: null,
    endedAt: null,
    attempts: 0,
  };
}

interface OpenWait {
  readonly key: string;
  readonly signal: string;
  readonly step: StepProjection;
  readonly dueMs: number | undefined;
  /** What was asked for, by the key of the asking. */
  readonly approvals: ReadonlyMap<string, ApproveInput>;
}

/** What a key waits for follows from how it is written. */
function projectWait({ key, signal, step, dueMs, approvals }: OpenWait): ProjectedWait {
  const path = pathOfKey(key);
  const wait = { step: path, key, signal };
  const error = step.error ?? noError;
  switch (key.charAt(path.length)) {
    case '!': {
      const asked = approvals.get(askKeyOfVerdict(key));
      return {
        ...wait,
        kind: 'approval',
        approvalId: signal.slice(approvalSignal('').length),
        message: asked?.message ?? null,
        tool: asked?.tool ?? null,
        args: asked?.args ?? { value: {} },
        expiresAt: dueMs ?? null,
      };
    }
    case '?':
      return { ...wait, kind: 'resolve', tool: step.tool ?? '', message: error.message };
    case '+':
      return { ...wait, kind: 'repair', error };
    default:
      return { ...wait, kind: 'signal' };
  }
}

const noError: ErrorReport = { code: 'internal.bug', message: '', details: {} };

/** What is known about a run without executing anything of it. */
export interface RecordedRun extends PlannedRun {
  readonly runId: string;
  readonly entries: readonly JournalEntry[];
  readonly signals: readonly SignalRecord[];
  readonly maxItems: number;
  /** Activities under way at once, where that is known: those beyond it are then not shown as running. */
  readonly maxParallel?: number;
}

/** How a run stands, as its journal tells it. Times are milliseconds since the epoch. */
export interface RunProjection {
  /**
   * By path, in the order of the plan: every step of the plan, elements of a `forEach` (`build[3]`)
   * after their step, steps of sub-plans (`outer/inner`, `outer[2]/inner`) after what they are within.
   */
  readonly steps: ReadonlyMap<string, StepProjection>;
  /** Empty once there is an outcome. */
  readonly waitingFor: readonly ProjectedWait[];
  /** What the run comes to by what is recorded; absent while something is still to happen. */
  readonly outcome?: RunOutcome;
}

/** An unanswered wait; sending `signal` answers it. */
export type ProjectedWait = {
  readonly step: string;
  readonly key: string;
  /** The name of the signal that ends the wait. */
  readonly signal: string;
} & (
  | {
      readonly kind: 'approval';
      readonly approvalId: string;
      readonly message: Resolved | null;
      readonly tool: string | null;
      readonly args: Resolved;
      /** Null when the engine has not noted it yet. */
      readonly expiresAt: number | null;
    }
  | { readonly kind: 'signal' }
  | { readonly kind: 'resolve'; readonly tool: string; readonly message: string }
  | { readonly kind: 'repair'; readonly error: ErrorReport }
);
