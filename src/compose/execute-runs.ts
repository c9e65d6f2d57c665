import type { Settings } from '../config/index.ts';
import type { Engines } from './engines.ts';
import type { WorkOptions } from './workflow.ts';

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
