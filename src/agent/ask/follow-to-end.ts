import type { Plan } from '../../contract/plan/index.ts';
import type { RunView, Waiting } from '../../contract/run/index.ts';
import { AppError } from '../../kernel/index.ts';
import {
  createCapability,
  guardStep,
  isHarmless,
  repairArguments,
  unnamedReads,
} from '../propose/index.ts';
import { guardRules, modelCall, type Turn } from './turn.ts';

export interface FollowedRun {
  readonly runId: string;
  readonly plan: Plan;
  readonly hasModel: boolean;
}

/** Corrections by the model in one run; then the step is given up. */
const maxRepairs = 2;
/** A run asks for repair at most once per step and round. */
const maxRounds = 100;

/** Waits for a run, lets the model correct arguments where the plan asks for that, and cancels it with the turn. */
export async function followToEnd(turn: Turn, run: FollowedRun): Promise<RunView> {
  const { parts, request, options, emit } = turn;
  const { caller } = request;
  const { signal, client } = options;
  const onChange = (view: RunView): void => emit({ kind: 'run', run: view });
  try {
    for (let round = 0; ; round += 1) {
      const view = await parts.follow(caller, run.runId, {
        signal,
        onChange,
        ...(client && { client }),
      });
      const wait = view.waitingFor.find((one) => one.kind === 'repair');
      if (view.status !== 'waiting' || !wait || round === maxRounds) return view;
      const args = round < maxRepairs ? await newArguments(turn, run, wait) : null;
      await parts.workflows.repair(caller, run.runId, wait.step, args);
      if (args)
        emit({ kind: 'notice', text: `Step "${wait.step}" is tried with other arguments.` });
    }
  } catch (error) {
    if (signal.aborted) {
      await parts.workflows.cancel(
        caller,
        run.runId,
        'the message it was started for was cancelled',
      );
    }
    throw error;
  }
}

/** Null where no model can help, or where what it has read of the failure could get out by the next call. */
async function newArguments(
  turn: Turn,
  { plan, hasModel }: FollowedRun,
  { step, error }: Extract<Waiting, { kind: 'repair' }>,
): ReturnType<typeof repairArguments> {
  const { parts, options } = turn;
  const planned = plan.steps.find(({ id }) => id === step);
  const entries = await parts.tools.entries();
  const entry = entries.find(({ name }) => name === planned?.tool);
  if (!hasModel || !planned || !entry || !isHarmless(entry, parts.isTrusted)) return null;
  try {
    const failed = { entry, args: planned.args ?? {}, error };
    const args = await repairArguments(parts.models, failed, modelCall(turn));
    if (args === null) return null;
    // The error may have asked for something: new arguments carry no more out than the old ones did.
    const named = new Set(plan.steps.map(({ tool }) => tool));
    const asked = entries.filter(({ name }) => named.has(name));
    const { isTrusted } = parts;
    const capability = createCapability({ offered: [], asked, isTrusted });
    const rules = { ...guardRules(turn), capability };
    const repaired = { ...planned, args };
    const judged = guardStep(repaired, plan, rules);
    const known = new Set(unnamedReads(plan, rules));
    const reads = unnamedReads({ ...plan, steps: [repaired] }, rules);
    const isShown = turn.request.acceptPreview === true || parts.settings.preview === 'never';
    const isSeen = isShown || reads.every((read) => known.has(read));
    return 'isFree' in judged && judged.isFree && isSeen ? args : null;
  } catch (failure) {
    options.signal.throwIfAborted();
    if (failure instanceof AppError) return null;
    throw failure;
  }
}
