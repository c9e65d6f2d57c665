import type { JournalEntry } from '../engine/run-store.ts';
import { interpret } from './interpret.ts';
import { aroundOf, pathOfKey } from './keys.ts';
import { orderSteps } from './order-steps.ts';
import { pictureWait } from './picture-wait.ts';
import { ReplayOver, ReplayScope } from './replay-scope.ts';
import type { InterpretOptions, RunOutcome } from './run-outcome.ts';
import type { PictureWait, RecordedRun, RunPicture } from './run-picture.ts';
import type { StepPicture } from './step-picture.ts';

/** How a run stands: its plan is gone through once more with what was recorded, and nothing is executed. */
export async function picture(run: RecordedRun): Promise<RunPicture> {
  const scope = new ReplayScope(run);
  const changes = new Map<string, StepPicture>();
  const outcome = await replay(run, scope, (path, change) => {
    const items = change.items ?? changes.get(path)?.items;
    changes.set(path, items === undefined ? change : { ...change, items });
  });
  const steps: Map<string, StepPicture> = changes;
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

function isUnderway(status: StepPicture['status']): boolean {
  return status === 'running' || status === 'waiting';
}

/** Whether something the step is within has come to its end without it. */
function isOver(path: string, changes: ReadonlyMap<string, StepPicture>): boolean {
  for (let around = aroundOf(path); around !== undefined; around = aroundOf(around)) {
    const change = changes.get(around);
    if (change !== undefined && !isUnderway(change.status)) return true;
  }
  return false;
}

/** When sleeps began and ended, when calls under way began, and both for what has steps or elements within. */
function fillInTimes(
  steps: Map<string, StepPicture>,
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
  readonly steps: ReadonlyMap<string, StepPicture>;
  readonly entries: readonly JournalEntry[];
}

function waitsOf({ scope, steps, entries }: Replayed): PictureWait[] {
  const dueMs = new Map<string, number>();
  for (const entry of entries) if (entry.kind === 'due') dueMs.set(entry.key, entry.atMs);
  return [...scope.waits].flatMap(([key, signal]) => {
    const step = steps.get(pathOfKey(key));
    if (step === undefined || (step.status !== 'waiting' && step.status !== 'unknown')) return [];
    return [pictureWait({ key, signal, step, dueMs: dueMs.get(key), approvals: scope.approvals })];
  });
}
