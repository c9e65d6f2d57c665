import type { ErrorReport } from '../../src/contract/error/index.ts';
import type { Json } from '../../src/contract/plan/index.ts';
import type {
  ApproveInput,
  CallInput,
  CallOutcome,
  Held,
  LookOutcome,
} from '../../src/workflow/engine/activity-data.ts';
import type { TimedActivity } from './memory-engine.ts';

/** What a call comes to, where that is no plain value. */
export type Scripted =
  | { readonly held: Held }
  | { readonly fails: string; readonly isRetryable?: boolean }
  | { readonly unknown: string };

export interface Script {
  /** By name of the tool: the value of a call, wrapped where it is not one. */
  readonly tools: Readonly<
    Record<string, (call: CallInput) => { readonly value: Json } | Scripted>
  >;
  readonly look?: (input: Json) => LookOutcome;
  /** How long calls take, by path of the step; else one second. */
  readonly durationsMs?: Readonly<Record<string, number>>;
  /** Sees what approval is asked for. */
  readonly onAsk?: (input: ApproveInput) => void;
  /** Has the asking for approval fail. */
  readonly cannotAsk?: ErrorReport;
}

export function scriptedActivity(script: Script): TimedActivity {
  return ({ activity, input, nowMs }) => {
    if (activity === 'look') return { value: asJson(script.look?.(input)), durationMs: 1 };
    // Which activity it is says what its input is.
    if (activity === 'approve') return ask(input as unknown as ApproveInput, script, nowMs);
    const call = input as unknown as CallInput;
    const durationMs = script.durationsMs?.[call.step] ?? 1_000;
    const span = { startedAt: nowMs, endedAt: nowMs + durationMs };
    return { value: asJson({ ...outcomeOf(script, call), ...span }), durationMs };
  };
}

function ask(
  input: ApproveInput,
  { cannotAsk, onAsk }: Script,
  startedAt: number,
): ReturnType<TimedActivity> {
  const { step } = input;
  onAsk?.(input);
  const outcome = cannotAsk
    ? { kind: 'failed', error: cannotAsk }
    : { kind: 'asked', approvalId: `${step}@${startedAt}`, expiresInMs: 60_000, startedAt };
  return { value: asJson(outcome), durationMs: 0 };
}

type WithoutSpan<Outcome> = Outcome extends unknown
  ? Omit<Outcome, 'startedAt' | 'endedAt'>
  : never;

function outcomeOf(script: Script, call: CallInput): WithoutSpan<CallOutcome> {
  const scripted = script.tools[call.tool]?.(call) ?? { fails: 'test.no_such_tool' };
  if ('value' in scripted) return { kind: 'succeeded', held: { value: scripted.value } };
  if ('held' in scripted) return { kind: 'succeeded', held: scripted.held };
  if ('unknown' in scripted) {
    return { kind: 'unknown', effectId: `effect of ${call.step}`, message: scripted.unknown };
  }
  const error = { code: scripted.fails, message: `${call.step} failed`, details: {} };
  return { kind: 'failed', error, isRetryable: scripted.isRetryable ?? false };
}

function asJson(value: unknown): Json {
  // Scripts are written as plain data.
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}
