import type { NewLineage } from '../../contract/artifact/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import { budgetsMetaKey } from '../../contract/model/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import {
  idempotencyMetaKey,
  type ToolResult,
  type PreviewEffect,
} from '../../contract/tool/index.ts';
import {
  digestJson,
  withTimeLimit,
  type Clock,
  type FaultPoint,
  type Log,
  type ProcessIdentity,
} from '../../kernel/index.ts';
import type { CallInput, CallOutcome } from '../engine/activity-data.ts';
import type { ActivityRequest } from '../engine/run-scope.ts';
import type { CallFailure, GivenResult } from './call-result.ts';
import type { EffectLedger } from './effect-ledger.ts';
import type {
  FoundTool,
  ToolCaller,
  ApprovalPolicy,
  EffectLimits,
  EffectStore,
  StepCache,
  StepTracer,
} from './effect-ports.ts';
import { type HeldValues, artifactsIn } from './held-values.ts';

/** One attempt of a step whose tool is known and whose arguments are complete. */
export interface StepCall {
  readonly request: ActivityRequest;
  readonly input: CallInput;
  readonly caller: Caller;
  readonly found: FoundTool;
  readonly args: Json;
  readonly startedAt: number;
  /** A second call would be a second effect, whatever is known of the tool elsewhere. */
  readonly isOnce?: boolean;
  /** What of its run and its span the call carries on. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Of the arguments; worked out only for those who need it, and once. */
  digest(): string;
}

export function digestOnce(args: Json): () => string {
  let digest: string | undefined;
  return () => (digest ??= digestJson(args));
}

/**
 * The name of an effect for all attempts of its step: a server that was sent the call before knows it by
 * that. A step that is retried on request gets another.
 */
export function effectIdOf({ request, input }: Pick<StepCall, 'request' | 'input'>): string {
  return `${request.runId}:${input.step}:${request.generation ?? 0}`;
}

/** Timers go no further: about 25 days. */
const maxTimerMs = 2_147_483_647;

/** Calls the tool, for no longer than the step may take. A cancellation comes out as the signal's reason. */
export function dispatch(tools: ToolCaller, call: StepCall, id: string): Promise<ToolResult> {
  const { request, input, args } = call;
  const { timeoutMs } = input;
  const send = (signal: AbortSignal): Promise<ToolResult> =>
    tools.call(input.tool, argumentsObject(args), contextOf(call, signal, id));
  if (timeoutMs === undefined) return send(request.signal);
  const what = `Step "${input.step}" (${input.tool})`;
  return withTimeLimit(
    { what, limitMs: Math.min(timeoutMs, maxTimerMs), signal: request.signal },
    send,
  );
}

export function contextOf(
  { request, caller, meta, isOnce }: Pick<StepCall, 'request' | 'caller' | 'meta' | 'isOnce'>,
  signal: AbortSignal,
  id: string,
): CallContext {
  return {
    caller,
    signal,
    progress: request.onProgress,
    mayRepeat: isOnce !== true,
    meta: {
      ...meta,
      [idempotencyMetaKey]: id,
      [budgetsMetaKey]: [`run:${request.runId}`],
    },
  };
}

/** Plans have arguments by name; what a repair gave instead is the tool's to refuse. */
export function argumentsObject(args: Json): Readonly<Record<string, unknown>> {
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? args : {};
}

/** What activities need of the world around them, and what they share. */
export interface ActivityParts {
  readonly tools: ToolCaller;
  readonly effects: EffectStore;
  readonly ledger: EffectLedger;
  readonly values: HeldValues;
  readonly cache: StepCache;
  readonly policy: ApprovalPolicy;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly limits: EffectLimits;
  readonly log: Log;
  readonly faultPoint: FaultPoint;
  readonly tracer: StepTracer | undefined;
  /** Shows what a call would do before it is approved. */
  readonly preview?: PreviewEffect;
}

/** Who this process is, and whether another is certainly dead. */
export interface Processes {
  own(): ProcessIdentity | Promise<ProcessIdentity>;
  isGone(process: ProcessIdentity): Promise<boolean>;
}

/** Throws where the value cannot be kept. */
export async function succeeded(
  { values, clock, faultPoint }: ActivityParts,
  call: StepCall,
  { value, text }: GivenResult,
): Promise<CallOutcome> {
  const { caller, input, startedAt } = call;
  const held = await values.hold(value, { caller, step: input.step }, () => lineageOf(call));
  if ('artifact' in held) faultPoint('effects.artifact.after');
  const said = text === undefined ? {} : { text };
  return { kind: 'succeeded', held, ...said, startedAt, endedAt: clock.now() };
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

/** Waits for all that an activity rests on. Throws the signal's reason where the run was stopped meanwhile. */
export async function untilRecorded({ recorded, signal }: ActivityRequest): Promise<void> {
  await recorded?.();
  signal.throwIfAborted();
}
