/**
 * A steady load for a long time: `node bench/gateway/soak.ts [--seconds 600] [--rate 1000]`. Calls are
 * sent by the clock, not when the one before was answered, as many clients would. Ends with 1 when a
 * call failed or memory grew.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { contenders } from './contenders.ts';
import { findTool, openHttp } from './load.ts';

export interface SoakResult {
  readonly calls: number;
  readonly errors: number;
  /** The first of them, in words. */
  readonly errorTexts: readonly string[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Resident memory, thirty samples over the time. */
  readonly memoryMb: readonly number[];
  /** The last third's mean memory by the middle third's: 1 is flat. */
  readonly growth: number;
}

const samples = 30;
const tickMs = 10;
/** When the machine stalls, calls wait in the clients: the gateway takes 256 at once of each, on 2,000 connections. */
const clients = 8;
const socketsPerClient = 64;
const shownErrors = 5;
/** A backlog this long means that the machine cannot keep the rate: waiting calls only measure that. */
const maxInFlight = 5_000;

export async function soak({
  seconds,
  rate,
}: {
  seconds: number;
  rate: number;
}): Promise<SoakResult> {
  const contender = contenders.find(
    ({ name, face }) => name === 'tutti, traced' && face === 'http',
  );
  if (!contender) throw new Error('Tutti is among the contenders');
  const running = await contender.start({ kind: 'stdio' });
  try {
    const tool = await findTool(running.post, 'small');
    const { url = '' } = running;
    const sessions = await Promise.all(
      Array.from({ length: clients }, () => openHttp(url, { maxSockets: socketsPerClient })),
    );
    const times: number[] = [];
    const memoryMb: number[] = [];
    const count = { calls: 0, errors: 0, inFlight: 0 };
    const errorTexts: string[] = [];
    const fail = (text: string): void => {
      count.errors += 1;
      if (errorTexts.length < shownErrors) errorTexts.push(text.slice(0, 300));
    };
    const callOnce = async (id: number): Promise<void> => {
      const params = { name: tool, arguments: { text: 'hello' } };
      const sentAt = performance.now();
      count.inFlight += 1;
      try {
        const session = sessions[id % clients] ?? running;
        const text = await session.post({ jsonrpc: '2.0', id, method: 'tools/call', params });
        if (!text.includes('"hello"')) fail(text);
      } catch (error) {
        fail(String(error));
      }
      count.inFlight -= 1;
      // Every hundredth is enough for percentiles and keeps this process flat.
      if (id % 100 === 0) times.push(performance.now() - sentAt);
    };
    const startedAt = performance.now();
    const elapsed = (): number => (performance.now() - startedAt) / 1_000;
    while (elapsed() < seconds) {
      const due = Math.floor(elapsed() * rate);
      while (count.calls < due && count.inFlight < maxInFlight) {
        count.calls += 1;
        void callOnce(count.calls + 10);
      }
      if (memoryMb.length < Math.floor((elapsed() / seconds) * samples)) {
        memoryMb.push(residentMb(running.pid));
      }
      await pause(tickMs);
    }
    while (count.inFlight > 0) await pause(tickMs);
    times.sort((a, b) => a - b);
    const at = (share: number): number =>
      times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
    const { calls, errors } = count;
    for (const session of sessions) session.close();
    return {
      calls,
      errors,
      errorTexts,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      memoryMb,
      growth: growthOf(memoryMb),
    };
  } finally {
    await running.close();
  }
}

function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}

function growthOf(memoryMb: readonly number[]): number {
  const third = Math.floor(memoryMb.length / 3);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, each) => sum + each, 0) / values.length;
  return mean(memoryMb.slice(-third)) / mean(memoryMb.slice(third, 2 * third));
}

const maxGrowth = 1.1;

if (process.argv[1] === import.meta.filename) {
  const option = (name: string, fallback: number): number => {
    const at = process.argv.indexOf(name);
    return at < 0 ? fallback : Number(process.argv[at + 1]);
  };
  const result = await soak({ seconds: option('--seconds', 600), rate: option('--rate', 1_000) });
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (result.errors > 0 || result.growth > maxGrowth) process.exitCode = 1;
}
