import type { Json } from '../../../src/contract/plan/index.ts';
import type { TimedActivity } from '../../../testkit/workflow/index.ts';

interface WorkArgs {
  ms: number;
  from: Json;
  fails?: number;
  unknown?: 'happened' | 'not-happened';
  /** How long it takes with corrected arguments; null when nobody corrects them. */
  repair?: number | null;
}

/** Does what the arguments of a step say, in the time they say; the same request always comes to the same. */
export const pretendActivity: TimedActivity = (request) => {
  const input = request.input as { step: string; attempt: number; args: { value: Json } };
  if (request.activity === 'approve') return approve(input.step);
  const args = input.args.value as unknown as WorkArgs;
  // Elements of a list have the same arguments, and still nothing ends at the same time by chance.
  const durationMs = args.ms + (hash(input.step) % 10_007);
  const span = { startedAt: request.nowMs, endedAt: request.nowMs + durationMs };
  const number = hash(JSON.stringify(args.from));
  const result = {
    v: number % 1000,
    list: Array.from({ length: number % 4 }, (_, at) => number % (at + 7)),
  };
  if (args.unknown !== undefined && input.attempt === 1) {
    const payload = { kind: args.unknown, output: { ...result, settled: true } };
    return {
      value: { kind: 'unknown', effectId: input.step, message: 'lost', ...span },
      durationMs,
      signal: { name: `resolve:${input.step}`, payload, afterMs: 1 + (number % 50_000) },
    };
  }
  if (input.attempt > (args.fails ?? 0)) {
    return { value: { kind: 'succeeded', held: { value: result }, ...span }, durationMs };
  }
  const error = { code: 'test.failed', message: `${input.step} failed`, details: {} };
  const value = { kind: 'failed', error, isRetryable: true, ...span };
  if (args.repair === undefined) return { value, durationMs };
  const repaired =
    args.repair === null ? null : { args: { ms: args.repair, from: ['repaired', args.from] } };
  const signal = {
    name: `repair:${input.step}:1`,
    payload: repaired,
    afterMs: 1 + (number % 70_000),
  };
  return { value, durationMs, signal };
};

function approve(step: string): ReturnType<TimedActivity> {
  const number = hash(step);
  const payload = { verdict: number % 4 === 0 ? 'denied' : 'approved', by: 'tester' };
  return {
    value: { kind: 'asked', approvalId: step, expiresInMs: 9_000_000_000, startedAt: 0 },
    durationMs: 1 + (number % 1_000),
    signal: { name: `approval:${step}`, payload, afterMs: 1 + (number % 90_000) },
  };
}

function hash(text: string): number {
  let value = 7;
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return value;
}
