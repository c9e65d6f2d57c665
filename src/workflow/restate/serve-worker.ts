import { randomUUID } from 'node:crypto';
import { executeRun, type ExecuteRunParts } from './execute-run.ts';
import type { RestateClient } from './restate-client.ts';
import type { RestateEngineParts, RestateWorker, WorkerAddress } from './restate-engine.ts';
import type { RunAttempt } from './run-attempt.ts';
import { defineRunWorkflow } from './run-workflow.ts';
import { serveEndpoint } from './serve-endpoint.ts';
import { WorkerLeases } from './worker-leases.ts';

/** Runs that were stored and not handed over are handed over in portions of this many. */
const scanCount = 100;
/** A lease outlives this many times it should have been renewed. */
const renewalsPerLease = 3;

export interface ServeWorkerParts extends RestateEngineParts {
  readonly client: RestateClient;
  readonly submit: (runId: string) => Promise<string>;
}

/** Listens, tells Restate so, and executes what it is given. */
export async function serveWorker(
  parts: ServeWorkerParts,
  { host, port, url }: WorkerAddress,
): Promise<RestateWorker> {
  const { store, timers, log, limits, client } = parts;
  const sdk = await import('@restatedev/restate-sdk');
  const leases = new WorkerLeases({
    store,
    identity: await parts.identify(),
    workerId: randomUUID(),
    leaseMs: limits.renewMs * renewalsPerLease,
    renewMs: limits.renewMs,
    timers,
    log,
  });
  const attempts = new Set<RunAttempt>();
  const execution: ExecuteRunParts = { ...parts, sdk, leases, attempts };
  const workflow = defineRunWorkflow({
    sdk,
    limits,
    execute: (ctx, submission) => executeRun(execution, ctx, submission),
  });
  const { identityKey } = parts;
  const services = [workflow];
  const endpoint = await serveEndpoint({ sdk, services, identityKey, log }, { host, port });
  const address = url ?? endpoint.url;
  try {
    await client.register(address);
  } catch (error) {
    await endpoint.close();
    throw error;
  }
  const stopScanning = scan(parts);
  return {
    url: address,
    close: async () => {
      stopScanning();
      await endpoint.close();
      await Promise.all([...attempts].map((attempt) => attempt.leave(limits.cancelGraceMs)));
      leases.close();
    },
  };
}

/** Hands over, at once and from time to time, what was stored by somebody who died before doing so. */
function scan({ store, submit, timers, limits, log }: ServeWorkerParts): () => void {
  let isStopped = false;
  let stopTimer = (): void => {};
  const look = async (): Promise<void> => {
    const runIds = await store.unclaimed('restate', scanCount);
    for (const runId of runIds) if (!isStopped) await submit(runId);
  };
  const lookAndGoOn = (): void => {
    void look()
      .catch((error: unknown) => log.warn('runs not handed over to Restate', { error }))
      .finally(() => {
        if (!isStopped) stopTimer = timers.after(limits.scanMs, lookAndGoOn);
      });
  };
  lookAndGoOn();
  return () => {
    isStopped = true;
    stopTimer();
  };
}
