import type { Json } from '../../contract/plan/index.ts';
import type { ForkChanges, StepStatus } from '../../contract/run/index.ts';
import type { JournalEntry, SignalRecord } from '../engine/run-store.ts';
import type { CompiledPlan, CompiledStep } from '../plan/compile-plan.ts';
import { aroundOf, attemptKey, isWithin, itemsKey, pathOfKey, whenKey } from './keys.ts';
import { workTemplate } from './program.ts';
import { type RunProjection, projectRun, type RecordedRun } from './projection.ts';
import { settledEntries } from './recorded-order.ts';
import type { StepProjection } from './run-state.ts';

/**
 * The paths a retry forgets: what failed, also where that counts as skipped, and all that needs it; with
 * `fromStep` also that and what needs it. Of a `forEach` or a sub-plan only what failed in it, and what
 * needs that.
 */
export function stepsToForget(
  plan: CompiledPlan,
  { steps }: RunProjection,
  fromStep?: string,
): readonly string[] {
  const forgotten = new Set<string>();
  const around = aroundFailed(steps);
  for (const [path, step] of steps) {
    if (hasFailed(step) && !around.has(path)) forgetWithNeeding(plan, path, forgotten);
  }
  if (fromStep !== undefined) forgetWithNeeding(plan, fromStep, forgotten);
  return [...forgotten];
}

function hasFailed({ status, error }: StepProjection): boolean {
  return status === 'failed' || (status === 'skipped' && error !== undefined);
}

/** Paths of what something within them failed in: that is then what is tried again. */
function aroundFailed(steps: ReadonlyMap<string, StepProjection>): ReadonlySet<string> {
  const around = new Set<string>();
  for (const [path, step] of steps) {
    if (!hasFailed(step)) continue;
    for (let at = aroundOf(path); at !== undefined; at = aroundOf(at)) around.add(at);
  }
  return around;
}

/** The path, and in each plan around it all steps that need the one it belongs to. */
function forgetWithNeeding(plan: CompiledPlan, path: string, forgotten: Set<string>): void {
  forgotten.add(path);
  for (let at: string | undefined = path; at !== undefined; at = aroundOf(at)) {
    if (at.endsWith(']')) continue;
    const slash = at.lastIndexOf('/');
    const prefix = at.slice(0, slash + 1);
    const around = planAt(plan, prefix);
    const start = around?.steps.find((step) => step.id === at.slice(slash + 1));
    if (around === undefined || start === undefined) continue;
    const open = [...start.neededBy];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      const step = around.steps[index];
      if (step === undefined || forgotten.has(prefix + step.id)) continue;
      forgotten.add(prefix + step.id);
      open.push(...step.neededBy);
    }
  }
}

/** The plan whose steps have paths that begin with `outer[2]/inner/`. */
function planAt(plan: CompiledPlan, prefix: string): CompiledPlan | undefined {
  let found: CompiledPlan | undefined = plan;
  for (const segment of prefix.split('/').slice(0, -1)) {
    const id = segment.endsWith(']') ? segment.slice(0, segment.lastIndexOf('[')) : segment;
    const step: CompiledStep | undefined = found?.steps.find((candidate) => candidate.id === id);
    found = step?.kind === 'plan' ? step.plan : undefined;
  }
  return found;
}

/**
 * What a fork takes over: the outcomes of the steps that the changes do not reach. Steps that failed or
 * had not come to an outcome run in the fork; an unknown outcome stays unknown, also of an effect that is
 * still under way, so that none is repeated without a person's decision.
 */
export async function journalForFork(
  run: RecordedRun,
  changes: ForkChanges,
  effects: readonly LeftEffect[] = [],
): Promise<ForkedJournal> {
  const { steps } = await projectRun(run);
  const reached = stepsReached(run, changes);
  const entries = settledEntries(run.entries).flatMap(({ key, value }) => {
    const path = pathOfKey(key);
    if (isWithin(path, reached)) return [];
    const isLook = key === whenKey(path) || key === itemsKey(path);
    const isKept = isLook || hasOutcome(steps.get(path)?.status);
    return isKept ? [{ kind: 'settled' as const, key, value }] : [];
  });
  const waitedForAgain = signalsWaitedFor({ plan: run.plan, prefix: '' }, reached);
  const signals = run.signals.filter(
    ({ name }) => !isAnswer(name) && !waitedForAgain.includes(name),
  );
  const left = effects.filter(
    (effect) =>
      !isWithin(effect.step, reached) &&
      !hasOutcome(steps.get(effect.step)?.status) &&
      isUpToDate(run, effect),
  );
  for (const { step, outcome } of left) {
    entries.push({ kind: 'settled', key: attemptKey(step, 1), value: outcome });
  }
  return { entries, signals };
}

/** An effect a run sent off, whether or not its journal has the outcome. */
export interface LeftEffect {
  readonly step: string;
  /** How often the step had been forgotten by then. */
  readonly generation: number;
  /** Whether that is certain. */
  readonly isHappened: boolean;
  /** The result for its step: a `CallOutcome`. */
  readonly outcome: Json;
}

/** An effect that certainly happened before the step was retried is not the outcome of the retry. */
function isUpToDate(
  { entries }: RecordedRun,
  { step, generation, isHappened }: LeftEffect,
): boolean {
  if (!isHappened) return true;
  const forgotten = entries.filter(
    (entry) => entry.kind === 'forgotten' && isWithin(step, new Set(entry.paths)),
  );
  return generation >= forgotten.length;
}

/** What was said about the run holds for the fork, too, unless a step that runs again waits for it. */
interface ForkedJournal {
  readonly entries: readonly JournalEntry[];
  readonly signals: readonly SignalRecord[];
}

interface PlanPlace {
  readonly plan: CompiledPlan;
  readonly prefix: string;
}

function signalsWaitedFor({ plan, prefix }: PlanPlace, paths: ReadonlySet<string>): string[] {
  return plan.steps.flatMap((step) => {
    const path = prefix + step.id;
    if (step.kind === 'plan')
      return signalsWaitedFor({ plan: step.plan, prefix: `${path}/` }, paths);
    return step.kind === 'wait' && isWithin(path, paths) ? [step.signal] : [];
  });
}

/** Answers to questions of one run are for that run. */
function isAnswer(signal: string): boolean {
  return /^(?:approval|resolve|repair):/.test(signal);
}

function hasOutcome(status: StepStatus | undefined): boolean {
  return status === 'succeeded' || status === 'skipped' || status === 'unknown';
}

function stepsReached({ plan }: RecordedRun, changes: ForkChanges): ReadonlySet<string> {
  const reached = new Set<string>();
  const inputs = new Set(Object.keys(changes.input ?? {}));
  for (const step of plan.steps) {
    if (refersToInput(step, inputs)) forgetWithNeeding(plan, step.id, reached);
  }
  for (const path of Object.keys(changes.args ?? {})) forgetWithNeeding(plan, path, reached);
  if (changes.fromStep !== undefined) forgetWithNeeding(plan, changes.fromStep, reached);
  return reached;
}

function refersToInput(step: CompiledStep, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false;
  const reconcileArgs = step.kind === 'call' ? step.reconcileArgs : undefined;
  return [step.when, step.forEach, step.message, workTemplate(step), reconcileArgs].some(
    (template) =>
      template?.references.some(
        ({ root, path: [name] }) =>
          root === 'input' && (name === undefined || names.has(String(name))),
      ),
  );
}
