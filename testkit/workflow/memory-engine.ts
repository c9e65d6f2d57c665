import type { Json } from '../../src/contract/plan/index.ts';
import type { ActivityName, RunScope, Settled } from '../../src/workflow/engine/run-scope.ts';
import type { JournalEntry, SignalRecord } from '../../src/workflow/engine/run-store.ts';
import { RecordedOrder, settledEntries } from '../../src/workflow/interpret/index.ts';

/** An activity that takes its time on the engine's own clock. */
export type TimedActivity = (request: {
  readonly key: string;
  readonly activity: ActivityName;
  readonly input: Json;
  readonly nowMs: number;
}) => {
  readonly value: Json;
  readonly durationMs: number;
  /** What somebody says about the run, this long after the activity has ended. */
  readonly signal?: SignalRecord & { readonly afterMs: number };
};

/** The process that executed the run is gone. */
export class Crashed extends Error {}

/**
 * Executes a run in memory on a clock that jumps from one event to the next, so that times are exact.
 * The journal outlives a crash; what was under way then starts again. It refuses what no engine could
 * bear: a key that is used twice, or that is asked for differently after a crash.
 */
export class MemoryEngine {
  readonly entries: JournalEntry[] = [];
  readonly signals: SignalRecord[] = [];
  nowMs = 0;
  readonly #perform: TimedActivity;
  /** What each key was asked for with, in all goes. */
  readonly #asked = new Map<string, string>();
  readonly #coming: { readonly signal: SignalRecord; readonly atMs: number }[] = [];

  constructor(perform: TimedActivity) {
    this.#perform = perform;
  }

  get askedKeys(): ReadonlyMap<string, string> {
    return this.#asked;
  }

  /** Becomes known at this time, unless the name is known by then. */
  signalAt(atMs: number, signal: SignalRecord): void {
    this.#coming.push({ signal, atMs });
  }

  /** For a run that is executed from its beginning, or once more from its journal. */
  openScope(
    options: { readonly crashAtNext?: number; readonly isOneByOne?: boolean } = {},
  ): RunScope {
    return new MemoryScope({
      engine: this,
      perform: this.#perform,
      asked: this.#asked,
      coming: this.#coming,
      crashAtNext: options.crashAtNext ?? Infinity,
      isOneByOne: options.isOneByOne ?? false,
    });
  }
}

interface ScopeParts {
  readonly engine: MemoryEngine;
  readonly perform: TimedActivity;
  readonly asked: Map<string, string>;
  readonly coming: { readonly signal: SignalRecord; readonly atMs: number }[];
  /** How manieth `next` does not return. */
  readonly crashAtNext: number;
  /** Each result is recorded and given by itself. */
  readonly isOneByOne: boolean;
}

interface Underway {
  readonly key: string;
  readonly atMs: number;
  readonly value: Json;
}

class MemoryScope implements RunScope {
  readonly runId = 'memory';
  readonly #parts: ScopeParts;
  readonly #recorded: RecordedOrder;
  readonly #keys = new Set<string>();
  readonly #waits = new Map<string, string>();
  #underway: Underway[] = [];
  #nexts = 0;

  constructor(parts: ScopeParts) {
    this.#parts = parts;
    this.#recorded = new RecordedOrder(settledEntries(parts.engine.entries));
  }

  step(key: string, activity: ActivityName, input: Json): void {
    if (this.#isRecorded(key, { activity, input })) return;
    const { engine, perform, coming } = this.#parts;
    const { value, durationMs, signal } = perform({ key, activity, input, nowMs: engine.nowMs });
    const atMs = engine.nowMs + durationMs;
    this.#underway.push({ key, atMs, value });
    if (signal) coming.push({ signal, atMs: atMs + signal.afterMs });
  }

  sleep(key: string, ms: number): void {
    if (this.#isRecorded(key, { ms })) return;
    this.#underway.push({ key, atMs: this.#dueMs(key, ms), value: null });
  }

  waitForSignal(key: string, name: string, { timeoutMs }: { readonly timeoutMs?: number }): void {
    if (this.#isRecorded(key, { name, timeoutMs: timeoutMs ?? null })) return;
    this.#waits.set(key, name);
    if (timeoutMs === undefined) return;
    this.#underway.push({ key, atMs: this.#dueMs(key, timeoutMs), value: { timedOut: true } });
  }

  // oxlint-disable-next-line typescript/require-await -- what goes wrong has to reject, not throw
  async next(): Promise<readonly Settled[]> {
    this.#nexts += 1;
    if (this.#nexts >= this.#parts.crashAtNext) throw new Crashed();
    const recorded = this.#recorded.take();
    if (recorded.length > 0) return recorded;
    for (;;) {
      const settled = this.#settledNow();
      if (settled.length > 0) {
        for (const one of settled) this.#parts.engine.entries.push({ kind: 'settled', ...one });
        return settled;
      }
      this.#jump();
    }
  }

  #isRecorded(key: string, input: Json): boolean {
    if (this.#keys.has(key)) throw new Error(`The key "${key}" was used twice`);
    this.#keys.add(key);
    const text = JSON.stringify(input);
    const before = this.#parts.asked.get(key);
    if (before !== undefined && before !== text) {
      throw new Error(`The key "${key}" was asked for with ${before}, then with ${text}`);
    }
    this.#parts.asked.set(key, text);
    return this.#recorded.ask(key);
  }

  #dueMs(key: string, ms: number): number {
    const { entries, nowMs } = this.#parts.engine;
    for (const entry of entries) if (entry.kind === 'due' && entry.key === key) return entry.atMs;
    entries.push({ kind: 'due', key, atMs: nowMs + ms });
    return nowMs + ms;
  }

  #settledNow(): readonly Settled[] {
    const { engine, isOneByOne } = this.#parts;
    const settled: Settled[] = [];
    for (const [key, name] of this.#waits) {
      const signal = engine.signals.find((known) => known.name === name);
      if (signal) settled.push({ key, value: { payload: signal.payload } });
    }
    for (const { key, atMs, value } of this.#underway) {
      const isSettled = settled.some((one) => one.key === key);
      if (atMs <= engine.nowMs && !isSettled) settled.push({ key, value });
    }
    const given = isOneByOne ? settled.slice(0, 1) : settled;
    const keys = new Set(given.map(({ key }) => key));
    this.#underway = this.#underway.filter(({ key }) => !keys.has(key));
    for (const key of keys) this.#waits.delete(key);
    return given;
  }

  /** To the next time at which something happens. */
  #jump(): void {
    const { engine, coming } = this.#parts;
    const times = [...this.#underway, ...coming].map(({ atMs }) => atMs);
    if (times.length === 0) throw new Error('Nothing will ever happen');
    engine.nowMs = Math.max(engine.nowMs, Math.min(...times));
    for (const one of coming.filter(({ atMs }) => atMs <= engine.nowMs)) {
      coming.splice(coming.indexOf(one), 1);
      const isKnown = engine.signals.some(({ name }) => name === one.signal.name);
      if (!isKnown) engine.signals.push(one.signal);
    }
  }
}
