import type { RestatePromise, WorkflowContext } from '@restatedev/restate-sdk';
import type { Json } from '../../contract/plan/index.ts';
import type { RecordedOrder } from '../interpret/index.ts';
import type { ActivityName, RunScope, Settled } from '../engine/run-scope.ts';
import type { RunNotes } from './run-attempt.ts';
import { RunStopped, type RestateSdk } from './restate-engine.ts';

export interface RestateScopeParts {
  readonly runId: string;
  readonly sdk: RestateSdk;
  readonly ctx: WorkflowContext;
  /** What was recorded before Restate got the run, and settles at once. */
  readonly recorded: RecordedOrder;
  readonly limitMs: number | null;
  readonly perform: (key: string, activity: ActivityName, input: Json) => Promise<Json>;
  /** Undefined when the run is over and only replayed: then nothing is noted. */
  readonly notes: RunNotes | undefined;
  readonly now: () => number;
  /** Throws when this worker has the run no more. */
  readonly checkHeld: () => void;
  /** Called when the run begins to wait for a person, or no longer does. */
  readonly onWaiting: (isWaiting: boolean) => void;
}

/** Names of durable promises: those of signals have a prefix, so that none is ever the other. */
export const cancelPromise = 'cancel';
export const signalPromise = (name: string): string => `signal:${name}`;

type Kind = 'activity' | 'sleep' | 'signal';
type Event = Settled | 'cancelled' | 'too-long';

/**
 * What a run may ask for, on a workflow of Restate.
 *
 * 1. Restate must be asked for the same things in the same order on every replay. It is asked for
 *    something only by the run's coroutine, and only one promise of Restate's is ever awaited at a time.
 * 2. Restate's own retries stay out of it: they would end the attempt, and with it all activities under
 *    way. An activity that throws ends the attempt on purpose, as a crash would.
 * 3. All that is pending takes part in every race, so that of two results the one that Restate recorded
 *    first is always handed out first.
 */
export class RestateScope implements RunScope {
  readonly runId: string;
  readonly #parts: RestateScopeParts;
  readonly #ends: readonly RestatePromise<Event>[];
  readonly #pending = new Map<string, { kind: Kind; promise: RestatePromise<Event> }>();
  #activities = 0;
  #sleeps = 0;

  constructor(parts: RestateScopeParts) {
    this.runId = parts.runId;
    this.#parts = parts;
    const { ctx, limitMs } = parts;
    const cancelled = ctx
      .promise<Json>(cancelPromise)
      .get()
      .map((): Event => 'cancelled');
    const limit = limitMs === null ? [] : [ctx.sleep(limitMs).map((): Event => 'too-long')];
    this.#ends = [cancelled, ...limit];
  }

  step(key: string, activity: ActivityName, input: Json): void {
    if (this.#parts.recorded.ask(key)) return;
    const { ctx, perform } = this.#parts;
    const result = ctx.run(key, () => perform(key, activity, input));
    this.#add(key, 'activity', result.map(settledAs(key)));
  }

  sleep(key: string, ms: number): void {
    if (this.#parts.recorded.ask(key)) return;
    this.#parts.notes?.note({ kind: 'due', key, atMs: this.#parts.now() + ms });
    const slept = this.#parts.ctx.sleep(ms).map((): Event => ({ key, value: null }));
    this.#add(key, 'sleep', slept);
  }

  waitForSignal(key: string, name: string, { timeoutMs }: { readonly timeoutMs?: number }): void {
    if (this.#parts.recorded.ask(key)) return;
    const { ctx, sdk, notes, now } = this.#parts;
    const given = ctx.promise<Json>(signalPromise(name)).get();
    if (timeoutMs !== undefined) notes?.note({ kind: 'due', key, atMs: now() + timeoutMs });
    const limited = timeoutMs === undefined ? given : given.orTimeout(timeoutMs);
    const settled = limited.map((payload, failure): Event => {
      if (failure instanceof sdk.TimeoutError) return { key, value: { timedOut: true } };
      if (failure !== undefined) throw failure;
      return { key, value: { payload: payload ?? null } };
    });
    this.#add(key, 'signal', settled);
  }

  async next(): Promise<readonly Settled[]> {
    const known = this.#parts.recorded.take();
    if (known.length > 0) return known;
    this.#parts.checkHeld();
    const event = await this.#race();
    if (event === 'cancelled' || event === 'too-long') throw new RunStopped(event);
    this.#remove(event.key);
    this.#parts.notes?.note({ kind: 'settled', ...event });
    return [event];
  }

  async #race(): Promise<Event> {
    const { sdk, onWaiting } = this.#parts;
    const isWaiting = this.#activities === 0 && this.#sleeps === 0;
    if (isWaiting) onWaiting(true);
    try {
      const pending = [...this.#pending.values()].map(({ promise }) => promise);
      return await sdk.RestatePromise.race([...this.#ends, ...pending]);
    } catch (error) {
      // It was cancelled with Restate's own tools.
      if (error instanceof sdk.CancelledError) throw new RunStopped('cancelled');
      throw error;
    } finally {
      if (isWaiting) onWaiting(false);
    }
  }

  #add(key: string, kind: Kind, promise: RestatePromise<Event>): void {
    this.#pending.set(key, { kind, promise });
    this.#count(kind, 1);
  }

  #remove(key: string): void {
    const kind = this.#pending.get(key)?.kind;
    this.#pending.delete(key);
    if (kind !== undefined) this.#count(kind, -1);
  }

  #count(kind: Kind, change: 1 | -1): void {
    if (kind === 'activity') this.#activities += change;
    if (kind === 'sleep') this.#sleeps += change;
  }
}

function settledAs(key: string): (value?: Json, failure?: Error) => Event {
  return (value, failure) => {
    if (failure !== undefined) throw failure;
    return { key, value: value ?? null };
  };
}
