import { onTestFinished } from 'vitest';
import type { Json } from '../../../src/contract/plan/index.ts';
import { ManualTimers } from '../../fleet/manual-timers.ts';
import { noFaults, silentLog, type Log } from '../../../src/kernel/index.ts';
import type { ActivityRequest, RunScope } from '../../../src/workflow/engine/run-scope.ts';
import type { NewRunRecord, RunRecord, RunStore } from '../../../src/workflow/engine/run-store.ts';
import { aNewRun } from '../a-run.ts';
import { MemoryRuns, MemoryRunStore } from '../memory-run-store.ts';
import {
  defaultEngineLimits,
  openEmbeddedEngine,
  type EmbeddedEngine,
  type EmbeddedEngineParts,
  type EngineLimits,
  type RunEnd,
} from '../../../src/workflow/embedded/index.ts';

export type Coroutine = (scope: RunScope, run: RunRecord) => Promise<RunEnd>;

export interface SceneOptions {
  readonly coroutine: Coroutine;
  readonly limits?: Partial<EngineLimits>;
  readonly wrap?: (store: RunStore) => RunStore;
  readonly faultPoint?: (name: string) => void;
  /** Activities do not hear that they are to end. */
  readonly areDeaf?: boolean;
}

/** What one activity was asked to do, and how the test ends it. */
export interface Call extends ActivityRequest {
  readonly resolve: (value: Json) => void;
  readonly reject: (error: unknown) => void;
}

export interface Logged {
  readonly message: string;
  readonly fields: unknown;
}

export class EngineScene {
  readonly timers = new ManualTimers();
  readonly shared = new MemoryRuns();
  readonly gone = new Set<number>();
  /** Activities under way, in the order they began. */
  readonly calls: Call[] = [];
  readonly logged: Logged[] = [];
  readonly store: RunStore;
  readonly #options: SceneOptions;
  #processes = 0;

  constructor(options: SceneOptions) {
    this.#options = options;
    this.store = this.openStore();
  }

  openStore(): RunStore {
    const isGone = async ({ pid }: { pid: number }): Promise<boolean> => this.gone.has(pid);
    return new MemoryRunStore({ clock: this.timers, isGone }, this.shared);
  }

  /** An engine as a process of its own, numbered from 1. */
  openEngine(limits: Partial<EngineLimits> = {}): EmbeddedEngine {
    this.#processes += 1;
    const pid = this.#processes;
    const store = this.openStore();
    const parts: EmbeddedEngineParts = {
      store: this.#options.wrap?.(store) ?? store,
      interpret: (run, scope) => this.#options.coroutine(scope, run),
      runActivity: (request) => this.#runActivity(request),
      identify: async () => ({ pid, processStart: `machine|${pid}` }),
      timers: this.timers,
      log: this.#log(),
      faultPoint: this.#options.faultPoint ?? noFaults,
      limits: { ...defaultEngineLimits, ...this.#options.limits, ...limits },
    };
    const engine = openEmbeddedEngine(parts);
    onTestFinished(() => this.#closeSoon(engine));
    return engine;
  }

  async create(parts: Partial<NewRunRecord> = {}): Promise<string> {
    const { runId } = await this.store.create(
      aNewRun({ createdAtMs: this.timers.now(), ...parts }),
    );
    return runId;
  }

  async record(runId: string): Promise<RunRecord> {
    const record = await this.store.find(null, runId);
    if (!record) throw new Error(`There is no run ${runId}`);
    return record;
  }

  /** The keys that were recorded, in order. */
  async settledKeys(runId: string): Promise<string[]> {
    const entries = await this.store.journal(runId);
    return entries.flatMap((entry) => (entry.kind === 'settled' ? [entry.key] : []));
  }

  call(key: string): Call {
    const found = this.calls.findLast((call) => call.key === key);
    if (!found) throw new Error(`${key} was not begun`);
    return found;
  }

  #runActivity(request: ActivityRequest): Promise<Json> {
    const { promise, resolve, reject } = Promise.withResolvers<Json>();
    this.calls.push({ ...request, resolve, reject });
    const { areDeaf = false } = this.#options;
    if (!areDeaf) request.signal.addEventListener('abort', () => reject(request.signal.reason));
    return promise;
  }

  #log(): Log {
    const write = (message: string, fields?: unknown): void => {
      this.logged.push({ message, fields });
    };
    return { ...silentLog, warn: write, error: write };
  }

  async #closeSoon(engine: EmbeddedEngine): Promise<void> {
    const closed = engine.close();
    await this.timers.pass(60_000);
    await closed;
  }
}

/** A coroutine that has these activities run one after another and gives their values. */
export function inSequence(...keys: readonly string[]): Coroutine {
  return async (scope) => {
    const values: Json[] = [];
    for (const key of keys) {
      scope.step(key, 'call', { of: key });
      const [settled] = await scope.next();
      values.push(settled?.value ?? null);
    }
    return { status: 'succeeded', outcome: values };
  };
}

/** Waits for a signal, then has one activity run. */
export const afterSignal: Coroutine = async (scope) => {
  scope.waitForSignal('gate', 'go', {});
  const [signal] = await scope.next();
  scope.step('work#1', 'call', null);
  const [work] = await scope.next();
  return { status: 'succeeded', outcome: [signal?.value ?? null, work?.value ?? null] };
};

/** Sleeps for an hour. */
export const aLongSleep: Coroutine = async (scope) => {
  scope.sleep('nap', 3_600_000);
  await scope.next();
  return { status: 'succeeded', outcome: 'rested' };
};
