import type { FailedAttempt } from '../contract/experience/index.ts';
import { digestJson, RecentValues, type Log } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import type { ToolCaller } from '../workflow/effects/index.ts';
import type {
  ActivityRequest,
  CallInput,
  CallOutcome,
  RunActivity,
} from '../workflow/engine/index.ts';
import { repairSignal } from '../workflow/interpret/index.ts';
import type { Recording } from './record-attempts.ts';
import { attemptOf, type PlanFacts } from './step-attempt.ts';

export interface RecordStepsParts extends Recording {
  readonly store: Pick<Store, 'runs'>;
  readonly tools: Pick<ToolCaller, 'find'>;
  readonly log: Log;
}

/** Runs whose plans are known, by the length of their ids and names. */
const maxRunsSize = 100_000;

/** Reports each call of a step to the experience, and corrects steps with `onFailure: repair` where that is safe. */
export function recordSteps(run: RunActivity, parts: RecordStepsParts): RunActivity {
  const plans = new RecentValues<Promise<PlanFacts>>(maxRunsSize);
  const planOf = (runId: string): Promise<PlanFacts> => {
    const known = plans.get(runId) ?? readPlan(parts.store, runId);
    plans.set(runId, known);
    return known;
  };
  const report = async (request: ActivityRequest, outcome: CallOutcome): Promise<void> => {
    const plan = await planOf(request.runId);
    const attempt = attemptOf(request, outcome, { plan, version: parts.version });
    const caller = { id: request.callerId };
    if (!('error' in attempt)) return parts.experience.succeeded(caller, attempt);
    parts.experience.failed(caller, attempt);
    const isCorrectable = plan.repaired.has(attempt.step) && isFirstAndLast(request, outcome);
    if (isCorrectable) await correct(request, attempt, parts);
  };
  return async (request) => {
    const result = await run(request);
    if (request.activity !== 'call') return result;
    // What a call gives is a `CallOutcome`.
    const outcome = result as unknown as CallOutcome;
    const reported = report(request, outcome).catch((error: unknown) => {
      parts.log.warn('failed to report a step', { error });
    });
    // A correction has to be there when the step asks for one; nothing else waits for the report.
    if (outcome.kind === 'failed' && (await planOf(request.runId)).repaired.size > 0) {
      await withinMs(reported, maxCorrectionMs);
    }
    return result;
  };
}

/** How long a failed step that may be repaired waits for a correction. */
const maxCorrectionMs = 5_000;

async function withinMs(work: Promise<void>, limitMs: number): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(limit.resolve, limitMs);
  await Promise.race([work, limit.promise]);
  clearTimeout(timer);
}

/** The step asks for corrected arguments for the first time: it is not tried again by itself. */
function isFirstAndLast({ input }: ActivityRequest, outcome: CallOutcome): boolean {
  // Made by the interpreter for this activity.
  const { attempt } = input as unknown as CallInput;
  return attempt === 1 && outcome.kind === 'failed' && !outcome.isRetryable;
}

async function readPlan({ runs }: Pick<Store, 'runs'>, runId: string): Promise<PlanFacts> {
  const run = await runs.find(null, runId);
  const steps = run?.plan.steps ?? [];
  // With codes to retry on, a failure that is not retryable may be tried again all the same.
  const repaired = steps
    .filter(
      ({ onFailure, retry }) => onFailure === 'repair' && !(typeof retry === 'object' && retry.on),
    )
    .map(({ id }) => id);
  // Without a name, as plans of the agent are, one is the same only with the same arguments: `review b` is no second
  // attempt at `review a`.
  const calls = steps.map(({ id, tool, args }) => [id, tool ?? null, { ...args }]);
  const name = run?.plan.name ?? digestJson([calls, { ...run?.input }]);
  return { name, repaired: new Set(repaired) };
}

/**
 * Answers the question for corrected arguments before it is asked, with those that cured this failure before. A person
 * is asked as usual when they do not help.
 */
async function correct(
  { runId, callerId }: ActivityRequest,
  attempt: FailedAttempt & { readonly step: string },
  { experience, tools, store, log }: RecordStepsParts,
): Promise<void> {
  const { step, subject } = attempt;
  const found = await tools.find(subject);
  // What a foreign server says about its tools does not widen what may be done.
  const isReadOnly = found?.isTrusted === true && found.tool.annotations?.readOnlyHint === true;
  const correction = await experience.correction({ id: callerId }, attempt, { isReadOnly });
  if (correction === undefined) return;
  const payload = { args: { ...correction.args } };
  await store.runs.signal(runId, { name: repairSignal(step, 1), payload });
  log.info('corrected a step with a known fix', { runId, step, fixId: correction.fixId });
}
