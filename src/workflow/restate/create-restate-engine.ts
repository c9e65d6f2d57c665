import type { RunRecord } from '../engine/run-store.ts';
import { RunIsTakenError } from '../errors.ts';
import { NoRestateWorkerError, RunNotHereError } from './errors.ts';
import { RestateClient } from './restate-client.ts';
import type { RestateEngine, RestateEngineParts } from './restate-engine.ts';
import { serveWorker } from './serve-worker.ts';
import { roundOf, submissionOf, workflowKey } from './submission.ts';

export function createRestateEngine(parts: RestateEngineParts): RestateEngine {
  const client = new RestateClient({
    ingressUrl: parts.ingressUrl,
    adminUrl: parts.adminUrl,
    requestMs: parts.limits.requestMs,
  });
  const submit = (runId: string): Promise<string> => submitRun(parts, client, runId);
  return {
    ready: () => client.checkIngress('the start of a run'),
    begin: async (runId) => {
      // A run that was begun is one Restate knows.
      const run = await parts.store.find(null, runId);
      if (run?.status === 'queued') await submit(runId);
    },
    signalled: async (runId, { name, payload }) => {
      const round = roundOf(await parts.store.journal(runId));
      await client.signal(workflowKey(runId, round), name, payload);
    },
    requested: (runId, request) => passRequestOn(parts, client, { runId, request }),
    underway: () => [],
    onChange: (_runId, listener) => pollStore(parts, () => listener('elsewhere')),
    serveWorker: (address) => serveWorker({ ...parts, client, submit }, address),
  };
}

/** Gives what Restate calls it. Signals that came before are sent first, so that none is missed. */
async function submitRun(
  { store, timers }: RestateEngineParts,
  client: RestateClient,
  runId: string,
): Promise<string> {
  const run = await findRun(store, runId);
  const entries = await store.journal(runId);
  const key = workflowKey(runId, roundOf(entries));
  const invocationId = await client.submit(key, submissionOf(run, entries, timers.now()));
  if (invocationId === undefined) throw new NoRestateWorkerError(runId);
  for (const { name, payload } of await store.signals(runId)) {
    await client.signal(key, name, payload);
  }
  return invocationId;
}

async function findRun(store: RestateEngineParts['store'], runId: string): Promise<RunRecord> {
  const run = await store.find(null, runId);
  if (run?.runId !== runId) throw new RunNotHereError(runId);
  return run;
}

async function passRequestOn(
  parts: RestateEngineParts,
  client: RestateClient,
  { runId, request }: { readonly runId: string; readonly request: 'cancel' | 'pause' | null },
): Promise<void> {
  const invocationId = await submitRun(parts, client, runId);
  switch (request) {
    case 'cancel': {
      const round = roundOf(await parts.store.journal(runId));
      await client.cancel(workflowKey(runId, round));
      // A paused run would not hear of it.
      return client.resume(invocationId);
    }
    case 'pause':
      await client.pause(invocationId);
      return markPaused(parts, runId);
    case null:
      return client.resume(invocationId);
  }
}

/** Its worker gives the run back when Restate has taken it away, which is not at once. */
async function markPaused(
  { store, timers, limits }: RestateEngineParts,
  runId: string,
): Promise<void> {
  const giveUpAtMs = timers.now() + limits.cancelGraceMs;
  while (timers.now() < giveUpAtMs) {
    if (await store.amend(runId, { entries: [], status: 'paused' })) return;
    await new Promise<void>((resolve) => void setTimeout(resolve, limits.pollMs));
  }
  throw new RunIsTakenError(runId);
}

function pollStore({ store, limits, log }: RestateEngineParts, listener: () => void): () => void {
  let seen: number | undefined;
  const look = async (): Promise<void> => {
    const revision = await store.revision();
    const isNew = seen !== undefined && revision !== seen;
    seen = revision;
    if (isNew) listener();
  };
  const lookOrLog = (): void =>
    void look().catch((error: unknown) => log.warn('run store poll failed', { error }));
  lookOrLog();
  const timer = setInterval(lookOrLog, limits.pollMs);
  return () => clearInterval(timer);
}
