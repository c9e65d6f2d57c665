import type { NewLineage } from '../../contract/artifact/index.ts';
import type { CallOutcome, Held } from '../engine/activity-data.ts';
import type { ActivityParts } from './activity-parts.ts';
import type { CallFailure } from './call-failure.ts';
import { artifactsIn, isPromise } from './held-values.ts';
import type { GivenResult } from './result-value.ts';
import type { StepCall } from './step-call.ts';

/** Throws where the value cannot be kept. */
export function succeeded(
  { values, clock, faultPoint }: ActivityParts,
  call: StepCall,
  { value, text }: GivenResult,
): CallOutcome | Promise<CallOutcome> {
  const { caller, input, startedAt } = call;
  const outcomeOf = (held: Held): CallOutcome => {
    if ('artifact' in held) faultPoint('effects.artifact.after');
    const said = text === undefined ? {} : { text };
    return { kind: 'succeeded', held, ...said, startedAt, endedAt: clock.now() };
  };
  const holding = values.hold(value, { caller, step: input.step }, () => lineageOf(call));
  return isPromise(holding) ? holding.then(outcomeOf) : outcomeOf(holding);
}

export function failed(
  { clock }: Pick<ActivityParts, 'clock'>,
  { startedAt }: Pick<StepCall, 'startedAt'>,
  { error, isRetryable }: Pick<CallFailure, 'error' | 'isRetryable'>,
): CallOutcome {
  return { kind: 'failed', error, isRetryable, startedAt, endedAt: clock.now() };
}

/** What a value that the step gives was made from. */
export function lineageOf(call: StepCall): NewLineage {
  const { request, input } = call;
  return {
    runId: request.runId,
    step: input.step,
    tool: input.tool,
    argumentsDigest: call.digest(),
    inputs: [...new Set(artifactsIn(input.args).map((ref) => ref.id))],
  };
}
