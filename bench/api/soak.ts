/**
 * A mixed load on `tutti serve` for a while: `node bench/api/soak.ts [--seconds 120] [--rate 100]`. Requests are sent by
 * the clock: reads, tool calls over REST and MCP, runs that are followed to their end, messages to the agent, sessions.
 * Ends with 1 when one failed or memory grew by a megabyte a minute.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, requestBytes, residentMb, type Ask } from './load.ts';
import { makeKeys, startTutti } from './servers.ts';

export interface SoakResult {
  readonly requests: number;
  readonly errors: number;
  /** The first of them, in words. */
  readonly errorTexts: readonly string[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Resident memory over the time. */
  readonly memoryMb: readonly number[];
  /** Of a line through the second half of the samples. */
  readonly slopeMbPerMinute: number;
}

const callers = 20;
const samples = 120;
const tickMs = 10;
const shownErrors = 5;
const maxInFlight = 200;

const runBody = {
  plan: {
    steps: [
      { id: 'small', tool: 'upstream.small', args: { text: 'hello' } },
      { id: 'pause', sleep: '5ms' },
    ],
  },
};

const mcpBody = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'upstream__small',
    arguments: { text: 'hello' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};
const mcpHeaders = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'upstream__small',
};

/** What is asked in turn; each says what a good answer contains. */
const mix: readonly { readonly ask: Omit<Ask, 'token'>; readonly has: string }[] = [
  { ask: { path: '/api/v1/health' }, has: '"status":"ok"' },
  { ask: { path: '/api/v1/tools?limit=50' }, has: '"items"' },
  { ask: { path: '/api/v1/runs?limit=10' }, has: '"items"' },
  { ask: { path: '/api/v1/sessions?limit=10' }, has: '"items"' },
  { ask: post('/api/v1/tools/upstream.small/call', { arguments: { text: 'hi' } }), has: '"hello"' },
  { ask: { ...post('/mcp', mcpBody), headers: mcpHeaders }, has: '"hello"' },
  { ask: post('/api/v1/runs', runBody), has: '"runId"' },
  { ask: post('/api/v1/tasks', { message: 'list the files', planOnly: true }), has: '"kind"' },
];

function post(path: string, body: object): Omit<Ask, 'token'> {
  return { method: 'POST', path, body };
}

export async function soak({
  seconds,
  rate,
}: {
  readonly seconds: number;
  readonly rate: number;
}): Promise<SoakResult> {
  const server = await startTutti();
  try {
    const tokens = await makeKeys(server, callers);
    const idle: Client[] = [];
    const times: number[] = [];
    const memoryMb: number[] = [];
    const errorTexts: string[] = [];
    const count = { requests: 0, errors: 0, inFlight: 0 };
    const fail = (text: string): void => {
      count.errors += 1;
      if (errorTexts.length < shownErrors)
        errorTexts.push(text.replaceAll(/\r\n[\s\S]*\r\n\r\n/g, ' ').slice(0, 400));
    };
    const send = async (wanted: Ask): Promise<string> => {
      const client = idle.pop() ?? new Client(server.port);
      const text = await client.send(requestBytes(wanted));
      idle.push(client);
      return text;
    };
    const turn = async (number: number): Promise<void> => {
      const token = tokens[number % callers] ?? '';
      const { ask, has } = mix[number % mix.length] ?? { ask: { path: '/' }, has: '' };
      const sentAt = performance.now();
      const text = await send({ ...ask, token });
      // Every tenth is enough for percentiles and keeps this process flat.
      if (number % 10 === 0) times.push(performance.now() - sentAt);
      if (!text.includes(has)) fail(`${ask.path}: ${text}`);
      const runId = /"runId":"(\w+)"/.exec(text)?.[1];
      if (ask.path !== '/api/v1/runs' || runId === undefined) return;
      const events = await send({ path: `/api/v1/runs/${runId}/events`, token });
      if (!events.includes('"status":"succeeded"')) fail(`events of ${runId}: ${events}`);
    };
    const startedAt = performance.now();
    const elapsed = (): number => (performance.now() - startedAt) / 1_000;
    while (elapsed() < seconds) {
      const due = Math.floor(elapsed() * rate);
      while (count.requests < due && count.inFlight < maxInFlight) {
        count.requests += 1;
        count.inFlight += 1;
        void turn(count.requests)
          .catch((error: unknown) => fail(String(error)))
          .finally(() => (count.inFlight -= 1));
      }
      if (memoryMb.length < Math.floor((elapsed() / seconds) * samples)) {
        memoryMb.push(residentMb(server.pid));
      }
      await pause(tickMs);
    }
    while (count.inFlight > 0) await pause(tickMs);
    for (const client of idle) client.close();
    times.sort((a, b) => a - b);
    const at = (share: number): number =>
      times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
    return {
      requests: count.requests,
      errors: count.errors,
      errorTexts,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      memoryMb,
      slopeMbPerMinute: slopeOf(memoryMb.slice(samples / 2), seconds / 60 / samples),
    };
  } finally {
    await server.close();
  }
}

/** Least squares. */
function slopeOf(values: readonly number[], step: number): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let above = 0;
  let below = 0;
  for (const [index, value] of values.entries()) {
    above += (index - middle) * (value - mean);
    below += (index - middle) ** 2;
  }
  return above / below / step;
}

const maxSlope = 1;

if (process.argv[1] === import.meta.filename) {
  const option = (name: string, fallback: number): number => {
    const at = process.argv.indexOf(name);
    return at < 0 ? fallback : Number(process.argv[at + 1]);
  };
  const result = await soak({ seconds: option('--seconds', 120), rate: option('--rate', 100) });
  process.stdout.write(`${JSON.stringify(result)}\n`);
  if (result.errors > 0 || result.slopeMbPerMinute > maxSlope) process.exitCode = 1;
}
