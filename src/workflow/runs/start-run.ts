import { randomUUID } from 'node:crypto';
import { agentBudgetMetaKey } from '../../contract/agents/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Plan, Step, Json } from '../../contract/plan/index.ts';
import type { EngineName, NewRun, ForkChanges } from '../../contract/run/index.ts';
import type { EffectRow } from '../effects/index.ts';
import type { CallOutcome } from '../engine/activity-data.ts';
import { depthMetaKey, runDepth } from '../engine/run-scope.ts';
import type { NewRunRecord } from '../engine/run-store.ts';
import { InvalidInputError, InvalidPlanError, NestedTooDeepError } from '../errors.ts';
import { journalForFork, type LeftEffect } from '../interpret/index.ts';
import { checkStep, findRun, readRun, requireHere } from './find-run.ts';
import { pruneSome } from './prune-runs.ts';
import type { WorkflowsParts } from './workflows-parts.ts';

const maxDepth = 4;

/** Checks and stores a run, and has it executed. */
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

interface RunToStore extends Omit<
  NewRunRecord,
  'runId' | 'callerId' | 'deadlineMs' | 'engine' | 'place'
> {
  readonly caller: Caller;
  readonly engine: EngineName;
}

/** The same for a run that was checked: new ones and forks. */
async function storeRun(
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
  // The embedded engine starts before the run is synced. Another engine must not get a run that could be lost here.
  const isHere = run.engine === 'embedded';
  const { runId, isNew } = await store.create(
    {
      ...run,
      runId: wantedId,
      callerId: caller.id,
      deadlineMs: deadlineAfter(createdAtMs, plan.timeoutMs, limits.maxRunMs),
      // Restate's workers are all alike: their setup ensures that.
      place: isHere ? await parts.place() : null,
      meta: { ...trace, ...agentBudget(meta), [depthMetaKey]: runDepth(meta) },
    },
    isHere ? (stored) => void begin(stored) : undefined,
  );
  if (isNew && !isHere) await begin(runId);
  return { runId };
}

/** What a run of an agent may do stays with it, and with all it starts. */
function agentBudget(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const budget = meta[agentBudgetMetaKey];
  return budget === undefined ? {} : { [agentBudgetMetaKey]: budget };
}

export function deadlineAfter(
  nowMs: number,
  timeoutMs: number | undefined,
  maxRunMs: number,
): number {
  return nowMs + Math.min(timeoutMs ?? maxRunMs, maxRunMs);
}

/** A new run that takes over what the changes do not reach. The old one stays as it is. */
export async function forkRun(
  parts: WorkflowsParts,
  caller: Caller,
  { runId, changes }: { readonly runId: string; readonly changes: ForkChanges },
): Promise<{ readonly runId: string }> {
  const { store, plans, timers } = parts;
  const run = await findRun(store, caller, runId);
  await requireHere(parts, run, { wanted: 'forked', command: 'fork' });
  const read = await readRun(parts, run);
  for (const step of [changes.fromStep, ...Object.keys(changes.args ?? {})]) {
    if (step !== undefined) checkStep(run.runId, step, read.projection);
  }
  const edited = editArguments(run.plan, changes.args ?? {});
  const check = await plans.check(caller, { kind: 'data', plan: edited }, { optimize: false });
  if (!check.ok || check.plan === undefined) throw new InvalidPlanError(check.errors);
  const input = { ...run.input, ...changes.input };
  const problems = plans.checkInput(plans.prepare(check.plan).plan, input);
  if (problems.length > 0) throw new InvalidInputError(problems);
  // After the journal was read: what it lacks is then known by the ledger.
  const effects = leftEffects(await parts.effects.effects(run.runId));
  const { entries, signals } = await journalForFork(read.recorded, changes, effects);
  const forked = await storeRun(parts, {
    caller,
    plan: check.plan,
    input,
    engine: run.engine,
    createdAtMs: timers.now(),
    forkedFrom: run.runId,
    idempotencyKey: null,
    meta: {},
    journal: entries,
    signals,
  });
  return forked;
}

/** The plan with other arguments for some steps; those of sub-plans by their path. */
function editArguments(plan: Plan, args: NonNullable<ForkChanges['args']>): Plan {
  const edits = new Map(Object.entries(args));
  if (edits.size === 0) return plan;
  const edit = (step: Step, path: string): Step => {
    const given = edits.get(path);
    const own = given === undefined ? step : { ...step, args: { ...step.args, ...given } };
    if (typeof own.plan !== 'object') return own;
    const inner = own.plan.steps.map((one) => edit(one, `${path}/${one.id}`));
    return { ...own, plan: { ...own.plan, steps: inner } };
  };
  return { ...plan, steps: plan.steps.map((step) => edit(step, step.id)) };
}

/** Effects that were sent, as their steps are to be told of them; those that certainly did not happen are none. */
function leftEffects(rows: readonly EffectRow[]): readonly LeftEffect[] {
  return rows.flatMap((row) => {
    const { step, generation, state } = row;
    if (state === 'failed') return [];
    const isHappened = state === 'succeeded';
    return [
      { step, generation, isHappened, outcome: isHappened ? row.outcome : unknownOutcome(row) },
    ];
  });
}

function unknownOutcome({ id, tool, step, runId, dispatchedAtMs }: EffectRow): Json {
  return {
    kind: 'unknown',
    effectId: id,
    message: `Run ${runId} called ${tool} for its step "${step}", and what became of that is not known`,
    startedAt: dispatchedAtMs,
    endedAt: dispatchedAtMs,
  } satisfies CallOutcome;
}

/** Crockford's alphabet in small letters: none of them looks like another, and they sort as digits do. */
const digits = '0123456789abcdefghjkmnpqrstvwxyz';
const idDigits = 9;

/** An id that sorts by time: 9 digits for the millisecond, 9 left to chance. */
export function newRunId(nowMs: number): string {
  return lastDigits(Math.floor(nowMs)) + lastDigits(chance());
}

/** 48 bits, of which an id takes 45. All digits of the last part of a UUID are random, and Node keeps a stock of them. */
function chance(): number {
  return Number.parseInt(randomUUID().slice(-12), 16);
}

function lastDigits(number: number): string {
  let rest = number;
  let text = '';
  for (let place = 0; place < idDigits; place += 1) {
    text = digits.charAt(rest % digits.length) + text;
    rest = Math.floor(rest / digits.length);
  }
  return text;
}
