import type { Json } from '../../contract/plan/index.ts';
import type { ForkChanges, StepStatus } from '../../contract/run/index.ts';
import type { JournalEntry, SignalRecord } from '../engine/run-store.ts';
import type { CompiledPlan, CompiledStep } from '../plan/compiled-plan.ts';
import { attemptKey, isWithin, itemsKey, pathOfKey, whenKey } from './keys.ts';
import { picture } from './picture.ts';
import { workTemplate } from './program.ts';
import { settledEntries } from './recorded-order.ts';
import type { RecordedRun } from './run-picture.ts';
import { forgetWithNeeding } from './steps-to-forget.ts';

/**
 * What a fork takes over: the outcomes of the steps that the changes do not reach. Steps that failed or
 * had not come to an outcome run in the fork; an unknown outcome stays unknown, also of an effect that is
 * still under way, so that none is repeated without somebody saying so.
 */
export async function journalForFork(
  run: RecordedRun,
  changes: ForkChanges,
  effects: readonly LeftEffect[] = [],
): Promise<ForkedJournal> {
  const { steps } = await picture(run);
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

/** An effect a run sent off, whether or not its journal came to hold the outcome. */
export interface LeftEffect {
  readonly step: string;
  /** How often the step had been forgotten by then. */
  readonly generation: number;
  /** Whether that is certain. */
  readonly isHappened: boolean;
  /** What its step is told: a `CallOutcome`. */
  readonly outcome: Json;
}

/** What certainly happened before somebody wanted the step anew is not what the step came to. */
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
export interface ForkedJournal {
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
