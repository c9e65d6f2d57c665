import type { Json } from '../../contract/plan/index.ts';

/**
 * What an engine gives to the one coroutine of a run. Steps are data, results come back by key.
 *
 * 1. `next` is the only place the coroutine waits. Everything it does between two `next` depends on
 *    nothing but the plan, the input and what `next` returned: no clock, no chance, no I/O.
 * 2. A key is used once in a run. Asked for again after a crash, it gets what was recorded.
 * 3. A result is recorded before anything rests on it that is seen outside of the run: `next` may return it
 *    earlier, and then activities that do more than read wait for it (`ActivityRequest.recorded`).
 * 4. What was recorded comes back before anything new, in the order it was recorded in, as far as it
 *    was asked for: `next` gives the earliest recorded results up to one that was not asked for yet, and
 *    goes past such a one only when it had nothing else recorded to give. (Otherwise a run that stopped
 *    at a failure could take another way the second time.)
 * 5. An activity that was under way when everything died runs again, with the same key and input:
 *    activities know how to bear that (the effects ledger).
 */
export interface RunScope {
  readonly runId: string;
  /** Has an activity run. Its input is not recorded: it follows from what was. */
  step(key: string, activity: ActivityName, input: Json): void;
  /** Whether the result of a key is recorded already: then `step` needs no input for it. */
  hasResult?(key: string): boolean;
  /** Settles with null after this long, counted from the first time it was asked for. */
  sleep(key: string, ms: number): void;
  /** Settles with a `SignalResult`, at once when the signal is there already. */
  waitForSignal(key: string, name: string, options: { readonly timeoutMs?: number }): void;
  /**
   * What settled since the last time, at least one; waits for it. Each key comes once. Throws when the
   * run is cancelled or this process lost it, which the coroutine must not catch.
   */
  next(): Promise<readonly Settled[]>;
}

export interface Settled {
  readonly key: string;
  readonly value: Json;
}

export type SignalResult = { readonly payload: Json } | { readonly timedOut: true };

/**
 * call: calls a tool · approve: writes down that approval is asked for · look: evaluates a condition or
 * counts a list over values that are kept outside the journal.
 */
export type ActivityName = 'call' | 'approve' | 'look';

/**
 * Runs one activity. It never throws but for a cancellation: what goes wrong is data. The engine
 * passes `key` as the permanent name of the effect.
 */
export type RunActivity = (request: ActivityRequest) => Promise<Json>;

export interface ActivityRequest {
  readonly runId: string;
  readonly callerId: string;
  readonly key: string;
  readonly activity: ActivityName;
  readonly input: Json;
  /** How many `forgotten` of the journal cover the step: an effect of an earlier one may happen anew. 0 when not given. */
  readonly generation?: number;
  /** `meta` of the run: the trace it belongs to. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /**
   * Settles when all results that the run has got so far are recorded, or it is stopped; undefined when they are,
   * or always are before an activity begins. What does more than read waits for it first: read anew after a crash,
   * a result may be another one, and the reason for the effect would be lost.
   */
  readonly recorded?: () => Promise<void> | undefined;
  /** How far a call is; for people who watch, never recorded. */
  readonly onProgress: (update: { progress: number; total?: number; message?: string }) => void;
}

/** Where calls of a run say how deep it is: a run started by a step of a run is one deeper. */
export const depthMetaKey = 'tutti/runDepth';

/** From 0, for a run that no step of another run started. */
export function runDepth(meta: Readonly<Record<string, unknown>>): number {
  const depth = meta[depthMetaKey];
  return typeof depth === 'number' && Number.isInteger(depth) && depth >= 0 ? depth : 0;
}
