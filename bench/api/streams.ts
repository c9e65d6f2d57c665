import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Comparison } from '../measure.ts';
import { ask, cpuMs, requestBytes, residentMb } from './load.ts';
import { makeKeys, startTutti } from './servers.ts';

const tenants = 100;
const openAtOnce = 200;
const limitMs = 120_000;
const idleMs = 5_000;

/** Event streams of runs that wait for a person: memory with all of them open, and how soon each has its run's end. */
export async function measureStreams(count: number): Promise<Comparison[]> {
  const server = await startTutti();
  const { port, pid } = server;
  const keys = await makeKeys(server, tenants);
  const steps = [{ id: 'ask', approval: { message: 'Go on?' } }];
  const runs: { token: string; runId: string }[] = [];
  for (const token of keys) {
    const start = {
      method: 'POST',
      path: '/api/v1/runs',
      token,
      body: { plan: { steps } },
    } as const;
    runs.push({ token, runId: String((await ask(port, start))['runId']) });
  }
  const emptyMb = residentMb(pid);
  const streams: Stream[] = [];
  while (streams.length < count) {
    const batch = Array.from(
      { length: Math.min(openAtOnce, count - streams.length) },
      (_, index) => {
        const { token, runId } = runs[(streams.length + index) % runs.length] ?? {
          token: '',
          runId: '',
        };
        return new Stream(port, requestBytes({ path: `/api/v1/runs/${runId}/events`, token }));
      },
    );
    await within(limitMs, Promise.all(batch.map((stream) => stream.waits)));
    streams.push(...batch);
  }
  const before = cpuMs(pid);
  await pause(idleMs);
  const idleShare = ((cpuMs(pid) - before) / idleMs) * 100;
  const openMb = residentMb(pid);
  const startedAt = performance.now();
  for (const { token, runId } of runs) {
    const shown = await ask(port, { path: `/api/v1/runs/${runId}`, token });
    const [waiting] = shown['waitingFor'] as readonly { approvalId: string }[];
    const body = { approvalId: waiting?.approvalId };
    await ask(port, { method: 'POST', path: `/api/v1/runs/${runId}/approve`, token, body });
  }
  await within(limitMs, Promise.all(streams.map((stream) => stream.ended)));
  const tookMs = performance.now() - startedAt;
  const peakMb = residentMb(pid);
  await server.close();
  const name = `${count.toLocaleString('en')} event streams`;
  const row = { floor: '–', limit: Infinity, base: 1 };
  return [
    { ...row, name: `${name}: memory`, unit: 'MB', limit: 600, ours: Math.max(openMb, peakMb) },
    {
      ...row,
      name: `${name}: memory of each`,
      unit: 'kB',
      ours: ((openMb - emptyMb) * 1_024) / count,
    },
    {
      ...row,
      name: `${name}: processor while nothing happens`,
      unit: '% of a core',
      ours: idleShare,
    },
    { ...row, name: `${name}: 100 runs end and all streams know`, unit: 'ms', ours: tookMs },
  ];
}

/** A stream that has got the state of its run, and later its end. */
class Stream {
  readonly waits: Promise<void>;
  readonly ended: Promise<void>;
  #text = '';

  constructor(port: number, bytes: string) {
    const socket: Socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.write(bytes);
    const waits = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const fail = (error: Error): void => {
      waits.reject(error);
      ended.reject(error);
    };
    socket.on('data', (chunk) => {
      this.#text += String(chunk);
      if (this.#text.includes('"status":"waiting"')) waits.resolve();
      if (!this.#text.includes('"status":"succeeded"')) return;
      ended.resolve();
      socket.destroy();
    });
    socket.on('error', fail);
    socket.on('close', () => fail(new Error(`A stream was closed: ${this.#text.slice(0, 300)}`)));
    this.waits = waits.promise;
    this.ended = ended.promise;
    ended.promise.catch(() => {});
  }
}

async function within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  const late = pause(ms, undefined, { ref: false }).then(() => {
    throw new Error(`Not done within ${ms} ms`);
  });
  return Promise.race([work, late]);
}
