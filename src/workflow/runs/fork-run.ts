import type { Caller } from '../../contract/caller/index.ts';
import type { Plan, Step } from '../../contract/plan/index.ts';
import type { ForkChanges } from '../../contract/run/index.ts';
import { InvalidInputError, InvalidPlanError } from '../errors.ts';
import { journalForFork } from '../interpret/index.ts';
import { checkStep } from './change-run.ts';
import { findRun } from './find-run.ts';
import { leftEffects } from './left-effects.ts';
import { readRun } from './read-run.ts';
import { storeRun } from './start-run.ts';
import type { WorkflowsParts } from './workflows-parts.ts';

/** A new run that takes over what the changes do not reach. The old one stays as it is. */
export async function forkRun(
  parts: WorkflowsParts,
  caller: Caller,
  { runId, changes }: { readonly runId: string; readonly changes: ForkChanges },
): Promise<{ readonly runId: string }> {
  const { store, plans, timers } = parts;
  const run = await findRun(store, caller, runId);
  const read = await readRun(parts, run);
  for (const step of [changes.fromStep, ...Object.keys(changes.args ?? {})]) {
    if (step !== undefined) checkStep(run.runId, step, read.picture);
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
