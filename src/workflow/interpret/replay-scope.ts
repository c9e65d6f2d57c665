import type { Json } from '../../contract/plan/index.ts';
import type { ApproveInput } from '../engine/activity-data.ts';
import type { ActivityName, RunScope, Settled } from '../engine/run-scope.ts';
import { RecordedOrder, settledEntries } from './recorded-order.ts';
import type { RecordedRun } from './run-picture.ts';

/** Gives back what was recorded and executes nothing; `next` throws `ReplayOver` at the end of it. */
export class ReplayScope implements RunScope {
  readonly runId: string;
  /** Waits that nothing recorded answers: the names of their signals, by key. */
  readonly waits = new Map<string, string>();
  readonly approvals = new Map<string, ApproveInput>();
  /** How long the sleeps are, by key. */
  readonly sleepsMs = new Map<string, number>();
  readonly #recorded: RecordedOrder;
  readonly #signals: ReadonlyMap<string, Json>;
  #answered: Settled[] = [];

  constructor(run: RecordedRun) {
    this.runId = run.runId;
    this.#recorded = new RecordedOrder(settledEntries(run.entries));
    this.#signals = new Map(run.signals.map(({ name, payload }) => [name, payload]));
  }

  hasResult(key: string): boolean {
    return this.#recorded.has(key);
  }

  step(key: string, activity: ActivityName, input: Json): void {
    this.#recorded.ask(key);
    // The interpreter asks for this activity with nothing else.
    if (activity === 'approve') this.approvals.set(key, input as unknown as ApproveInput);
  }

  sleep(key: string, ms: number): void {
    this.#recorded.ask(key);
    this.sleepsMs.set(key, ms);
  }

  waitForSignal(key: string, name: string): void {
    if (this.#recorded.ask(key)) return;
    const payload = this.#signals.get(name);
    if (payload === undefined) this.waits.set(key, name);
    else this.#answered.push({ key, value: { payload } });
  }

  next(): Promise<readonly Settled[]> {
    const recorded = this.#recorded.take();
    if (recorded.length > 0) return Promise.resolve(recorded);
    const answered = this.#answered;
    this.#answered = [];
    return answered.length > 0 ? Promise.resolve(answered) : Promise.reject(new ReplayOver());
  }
}

/** Not a failure: what was recorded has been gone through. */
export class ReplayOver extends Error {}
