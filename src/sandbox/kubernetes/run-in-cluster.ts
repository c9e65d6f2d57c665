import { setTimeout as sleep } from 'node:timers/promises';
import type { KillReason, RunWatch } from '../../contract/sandbox/index.ts';
import { SandboxNotStartedError } from '../errors.ts';
import { bootReadyMark } from '../boot/boot.ts';
import { Output } from '../output.ts';
import type { ClusterApi } from './cluster-api.ts';
import { collectorContainer, jobSecret, programContainer, sandboxJob } from './manifests.ts';
import type { PodRequest, PodSettings } from './manifests.ts';
import {
  collectorState,
  podListSchema,
  programEnd,
  programState,
  whyNeverStarted,
  type Pod,
  type ProgramEnd,
} from './pod-state.ts';

export interface ClusterRun {
  readonly api: ClusterApi;
  readonly request: PodRequest;
  readonly settings: PodSettings;
  readonly input: Uint8Array;
  readonly watch: RunWatch;
  /** Of everything the collector may say. */
  readonly maxCollectedBytes: number;
}

/** How a program ended in the cluster, before its files are read. */
export interface ClusterOutcome {
  readonly end: ProgramEnd;
  readonly killed: KillReason | null;
  readonly output: Output;
  readonly wallMs: number;
  /** What the collector printed; null when it did not run. */
  readonly collected: Buffer | null;
}

const pollMs = 250;
const startLimitMs = 120_000;
const collectLimitMs = 30_000;
/** A log that ended before the cluster knows of the end is asked for again this often. */
const settleLimitMs = 15_000;

/** Runs one job and removes all of it, whatever happens. */
export async function runInCluster(run: ClusterRun): Promise<ClusterOutcome> {
  const { api, request, settings } = run;
  const secrets = `/api/v1/namespaces/${settings.namespace}/secrets`;
  const jobs = `/apis/batch/v1/namespaces/${settings.namespace}/jobs`;
  try {
    await api.create(secrets, jobSecret(request, settings.namespace, run.input));
    await api.create(jobs, sandboxJob(request, settings));
    const pod = await untilStarted(run);
    return await watchProgram(run, pod);
  } finally {
    for (const path of [`${jobs}/${request.name}`, `${secrets}/${request.name}`]) {
      // How the program ended is worth more; a later sweep removes what the cluster kept.
      await api.remove(path).catch(() => {});
    }
  }
}

async function readPod({ api, request }: ClusterRun): Promise<Pod | undefined> {
  const selector = encodeURIComponent(`job-name=${request.name}`);
  const path = `/api/v1/namespaces/${api.namespace}/pods?labelSelector=${selector}`;
  return podListSchema.parse(await api.read(path)).items[0];
}

async function untilStarted(run: ClusterRun): Promise<Pod> {
  const deadline = Date.now() + startLimitMs;
  while (Date.now() < deadline) {
    run.watch.signal?.throwIfAborted();
    const pod = await readPod(run);
    if (pod) {
      const problem = whyNeverStarted(pod);
      if (problem !== null) throw new SandboxNotStartedError('kubernetes', problem);
      const state = programState(pod);
      if (state.running || state.terminated) return pod;
    }
    await sleep(pollMs);
  }
  const reason = `its pod did not start within ${startLimitMs / 1_000} s`;
  throw new SandboxNotStartedError('kubernetes', reason);
}

async function watchProgram(run: ClusterRun, pod: Pod): Promise<ClusterOutcome> {
  const { request, watch } = run;
  const startedAt = Date.now();
  const kill = new AbortController();
  const end = (reason: KillReason): void => kill.abort(reason);
  const output = new Output({
    maxBytes: request.limits.outputBytes,
    onOutput: watch.onOutput,
    onFull: () => end('output'),
  });
  const onCancel = (): void => end('cancelled');
  const timer = setTimeout(() => end('timeout'), request.limits.wallMs);
  watch.signal?.addEventListener('abort', onCancel, { once: true });
  try {
    if (watch.signal?.aborted) onCancel();
    await followProgram(run, pod, { output, signal: kill.signal });
    const ended = await untilEnded(run, kill.signal);
    const wallMs = Date.now() - startedAt;
    const collected = request.collector && !kill.signal.aborted ? await collectLog(run, pod) : null;
    return { end: ended ?? killedEnd, killed: reasonOf(kill.signal), output, wallMs, collected };
  } finally {
    clearTimeout(timer);
    watch.signal?.removeEventListener('abort', onCancel);
  }
}

const killedEnd: ProgramEnd = { exitCode: 137, reason: null, cpuMs: 0, peakMemoryBytes: 0 };

/** The reasons this file aborts with are the only ones there are. */
function reasonOf(signal: AbortSignal): KillReason | null {
  return signal.aborted ? (signal.reason as KillReason) : null;
}

interface Following {
  readonly output: Output;
  readonly signal: AbortSignal;
}

/** A cluster's log is one stream: what the program wrote to its standard error comes among the rest. */
async function followProgram(
  { api }: ClusterRun,
  pod: Pod,
  { output, signal }: Following,
): Promise<void> {
  let unread = Buffer.from(bootReadyMark);
  const onBytes = (bytes: Uint8Array): void => {
    const known = Math.min(unread.length, bytes.length);
    const isMark = unread.subarray(0, known).equals(bytes.subarray(0, known));
    unread = isMark ? unread.subarray(known) : Buffer.alloc(0);
    output.add('stdout', isMark ? bytes.subarray(known) : bytes);
  };
  const path = `/api/v1/namespaces/${api.namespace}/pods/${pod.metadata.name}/log`;
  const query = `?container=${programContainer}&follow=true`;
  await api.follow(path + query, { signal, onBytes }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

async function untilEnded(run: ClusterRun, signal: AbortSignal): Promise<ProgramEnd | null> {
  const deadline = Date.now() + settleLimitMs + run.request.limits.wallMs;
  while (Date.now() < deadline && !signal.aborted) {
    const pod = await readPod(run);
    const end = pod && programEnd(pod);
    if (end) return end;
    await sleep(pollMs);
  }
  return null;
}

async function collectLog(run: ClusterRun, pod: Pod): Promise<Buffer | null> {
  const deadline = Date.now() + collectLimitMs;
  while (Date.now() < deadline) {
    const current = await readPod(run);
    const state = current && collectorState(current);
    if (state?.terminated) return readCollected(run, pod);
    if (current?.status.phase === 'Failed') return null;
    await sleep(pollMs);
  }
  return null;
}

async function readCollected(run: ClusterRun, pod: Pod): Promise<Buffer | null> {
  const { api, maxCollectedBytes } = run;
  const pieces: Uint8Array[] = [];
  let size = 0;
  const enough = new AbortController();
  const path = `/api/v1/namespaces/${api.namespace}/pods/${pod.metadata.name}/log`;
  const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(collectLimitMs)]);
  const onBytes = (bytes: Uint8Array): void => {
    size += bytes.length;
    if (size > maxCollectedBytes) enough.abort();
    else pieces.push(bytes);
  };
  await api
    .follow(`${path}?container=${collectorContainer}`, { signal, onBytes })
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  return signal.aborted ? null : Buffer.from(Buffer.concat(pieces).toString('latin1'), 'base64');
}
