import type { Caller } from '../../contract/caller/index.ts';
import type { EngineName, NewRun } from '../../contract/run/index.ts';
import { depthMetaKey, runDepth } from '../engine/run-depth.ts';
import type { NewRunRecord } from '../engine/run-store.ts';
import { InvalidInputError, InvalidPlanError, NestedTooDeepError } from '../errors.ts';
import { newRunId } from './new-run-id.ts';
import { pruneSome } from './prune-runs.ts';
import type { WorkflowsParts } from './workflows-parts.ts';

const maxDepth = 4;

/** Checks and stores a run, and sees to it that somebody executes it. */
export async function startRun(
  parts: WorkflowsParts,
  caller: Caller,
  wanted: NewRun,
): Promise<{ readonly runId: string }> {
  const { plans, limits, timers } = parts;
  const depth = runDepth(wanted.meta ?? {});
  if (depth > maxDepth) throw new NestedTooDeepError(maxDepth);
  const check = await plans.check(caller, wanted.source, { optimize: wanted.optimize ?? false });
  if (!check.ok || check.plan === undefined) throw new InvalidPlanError(check.errors);
  const { plan: compiled } = plans.prepare(check.plan);
  const problems = plans.checkInput(compiled, wanted.input);
  if (problems.length > 0) throw new InvalidInputError(problems);
  await pruneSome(parts);
  const createdAtMs = timers.now();
  return storeRun(parts, {
    caller,
    plan: check.plan,
    // A run keeps what it was given, so that changed defaults do not change it.
    input: { ...compiled.inputDefaults, ...wanted.input },
    engine: wanted.engine ?? limits.engine,
    createdAtMs,
    forkedFrom: null,
    idempotencyKey: wanted.idempotencyKey ?? null,
    meta: wanted.meta ?? {},
  });
}

export interface RunToStore extends Omit<
  NewRunRecord,
  'runId' | 'callerId' | 'deadlineMs' | 'engine' | 'place'
> {
  readonly caller: Caller;
  readonly engine: EngineName;
}

/** The same for a run that was checked: new ones and forks. */
export async function storeRun(
  parts: WorkflowsParts,
  { caller, ...run }: RunToStore,
): Promise<{ readonly runId: string }> {
  const { store, limits } = parts;
  const { plan, meta, createdAtMs } = run;
  const wantedId = newRunId(createdAtMs);
  const executor = await parts.executor(run.engine);
  await executor.ready?.();
  const trace = await parts.beginTrace({ caller, runId: wantedId, name: plan.name ?? null, meta });
  const begin = (runId: string): Promise<void> =>
    executor.begin(runId, { isWaitedFor: false, depth: runDepth(meta) });
  // Here it is executed while the disk is waited for. Elsewhere nobody may have a run that could be lost here.
  const isHere = run.engine === 'embedded';
  const { runId, isNew } = await store.create(
    {
      ...run,
      runId: wantedId,
      callerId: caller.id,
      deadlineMs: deadlineAfter(createdAtMs, plan.timeoutMs, limits.maxRunMs),
      // Restate's workers are all alike: whoever sets them up sees to that.
      place: isHere ? parts.place : null,
      meta: { ...trace, [depthMetaKey]: runDepth(meta) },
    },
    isHere ? (stored) => void begin(stored) : undefined,
  );
  if (isNew && !isHere) await begin(runId);
  return { runId };
}

export function deadlineAfter(
  nowMs: number,
  timeoutMs: number | undefined,
  maxRunMs: number,
): number {
  return nowMs + Math.min(timeoutMs ?? maxRunMs, maxRunMs);
}
