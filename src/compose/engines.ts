import type { Settings } from '../config/index.ts';
import type { EngineName } from '../contract/run/index.ts';
import { type FaultPoint, type Log, lazy, ownIdentity, systemTimers } from '../kernel/index.ts';
import {
  defaultEngineLimits,
  type EmbeddedEngine,
  type EmbeddedEngineParts,
  openEmbeddedEngine,
} from '../workflow/embedded/index.ts';
import type { RunActivity, RunStore } from '../workflow/engine/index.ts';
import { interpret, type InterpretOptions, type PreparePlan } from '../workflow/interpret/index.ts';
import type { RestateEngine } from '../workflow/restate/index.ts';
import { embeddedExecutor, type RunExecutor, toStoredOutcome } from '../workflow/runs/index.ts';
import type { WorkOptions } from './workflow.ts';

interface EngineParts {
  readonly settings: Settings;
  readonly store: RunStore;
  readonly runActivity: RunActivity;
  readonly prepare: PreparePlan;
  readonly log: Log;
  readonly faultPoint: FaultPoint;
  /** Whether this process is there to execute runs, or only those that a caller waits for. */
  readonly isStaying: () => boolean;
}

/** What executes runs: always this process, and Restate where it is asked for. */
interface Engines {
  readonly embedded: EmbeddedEngine;
  readonly restate: () => Promise<RestateEngine>;
  readonly executor: (engine: EngineName) => Promise<RunExecutor>;
  close(): Promise<void>;
}

export function createEngines({
  settings,
  log,
  faultPoint,
  isStaying,
  prepare,
  ...ports
}: EngineParts): Engines {
  const { workflow } = settings;
  const { durability, max_parallel: maxParallel, max_items: maxItems } = workflow;
  const parts = { ...ports, identify: ownIdentity, timers: systemTimers, log };
  const embedded = openEmbeddedEngine({
    ...parts,
    faultPoint,
    interpret: runWith(prepare, { maxParallel, maxItems }),
    limits: {
      ...defaultEngineLimits,
      maxRuns: workflow.max_running_runs,
      durability,
    },
  });
  const restate = lazy(async (): Promise<RestateEngine> => {
    const { createRestateEngine, defaultRestateLimits, restateMaxParallel } =
      await import('../workflow/restate/index.ts');
    return createRestateEngine({
      ...parts,
      ingressUrl: workflow.restate.ingress_url,
      adminUrl: workflow.restate.admin_url,
      identityKey: workflow.restate.identity_key,
      interpret: runWith(prepare, {
        maxParallel: Math.min(maxParallel, restateMaxParallel),
        maxItems,
      }),
      limits: { ...defaultRestateLimits, durability },
    });
  });
  const local = embeddedExecutor(embedded, isStaying);
  return {
    embedded,
    restate,
    executor: async (engine) => (engine === 'embedded' ? local : restate()),
    close: () => embedded.close(),
  };
}

/** The coroutine of a run, from what is stored to what is stored. */
function runWith(prepare: PreparePlan, limits: InterpretOptions): EmbeddedEngineParts['interpret'] {
  return async (run, scope) => {
    const planned = { ...prepare(run.plan), input: run.input };
    return toStoredOutcome(await interpret(planned, scope, limits));
  };
}

/** Nothing else may keep a process that only waits for work. */
const keepAliveMs = 60_000;

/** Executes runs until the signal aborts: those of this data directory, or those Restate hands out. */
export async function executeRuns(
  engines: Engines,
  workflow: Settings['workflow'],
  { engine = workflow.engine, signal, onReady }: WorkOptions,
): Promise<void> {
  if (engine === 'embedded') {
    onReady({ engine, url: null });
    return untilAborted(signal);
  }
  const { worker_host: host, worker_port: port, worker_url: url } = workflow.restate;
  const restate = await engines.restate();
  const worker = await restate.serveWorker({ host, port, url });
  try {
    onReady({ engine, url: worker.url });
    await untilAborted(signal);
  } finally {
    await worker.close();
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const keepAlive = setInterval(() => {}, keepAliveMs);
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  clearInterval(keepAlive);
}
