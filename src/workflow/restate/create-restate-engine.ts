import { randomUUID } from 'node:crypto';
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { EndpointOptions, LogMetadata } from '@restatedev/restate-sdk';
import type { Log } from '../../kernel/index.ts';
import type { RunRecord } from '../engine/run-store.ts';
import { RunIsTakenError } from '../errors.ts';
import { NoRestateWorkerError, RunNotHereError, WorkerAddressError } from './errors.ts';
import { executeRun, type ExecuteRunParts, defineRunWorkflow } from './execute-run.ts';
import { RestateClient } from './restate-client.ts';
import {
  type RestateEngine,
  type RestateEngineParts,
  roundOf,
  submissionOf,
  workflowKey,
  type RestateWorker,
  type WorkerAddress,
  type RestateSdk,
} from './restate-engine.ts';
import { type RunAttempt, WorkerLeases } from './run-attempt.ts';

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

/** Runs that were stored and not handed over are handed over in portions of this many. */
const scanCount = 100;
/** A lease outlives this many times it should have been renewed. */
const renewalsPerLease = 3;

interface ServeWorkerParts extends RestateEngineParts {
  readonly client: RestateClient;
  readonly submit: (runId: string) => Promise<string>;
}

/** Listens, tells Restate so, and executes what it is given. */
async function serveWorker(
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

/** Hands over, at once and from time to time, runs whose starter died before doing so. */
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

interface Endpoint {
  readonly url: string;
  /** Takes no more requests, and cuts off those that are under way: Restate gives them to others. */
  close(): Promise<void>;
}

interface EndpointParts {
  readonly sdk: RestateSdk;
  readonly services: EndpointOptions['services'];
  readonly identityKey: string | undefined;
  readonly log: Log;
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Listens for Restate. Several processes of one user may listen on one port: the system hands each
 * connection to one of them, and to the others when it is gone.
 */
async function serveEndpoint(
  { sdk, services, identityKey, log }: EndpointParts,
  address: Address,
): Promise<Endpoint> {
  const server = createServer(
    sdk.createEndpointHandler({
      services,
      ...(identityKey !== undefined && { identityKeys: [identityKey] }),
      logger: (metadata, ...message) => writeLog(log, metadata, message),
    }),
  );
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    // A connection that breaks is Restate's to make anew.
    session.on('error', () => {});
  });
  await listen(server, address);
  return {
    url: urlOf(server),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
}

function listen(server: Http2Server, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new WorkerAddressError({ host, port }, error)));
    // Only Linux spreads connections over those who share a port; a free port is not shared anyway.
    const reusePort = port !== 0 && process.platform === 'linux';
    server.listen({ host, port, reusePort }, resolve);
  });
}

function urlOf(server: Http2Server): string {
  // A server that listens on a port has such an address.
  const { address, port, family } = server.address() as AddressInfo;
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

const badLevels: readonly string[] = ['warn', 'error'];

/** Repeated attempts are normal for a worker: warnings are logged as such, the rest at level debug. */
function writeLog(log: Log, { level, replaying, context }: LogMetadata, message: unknown[]): void {
  if (replaying) return;
  const isBad = badLevels.includes(level);
  const fields = { text: message.map(String).join(' '), workflow: context?.key };
  if (isBad) log.warn('restate worker', fields);
  else log.debug('restate worker', fields);
}
