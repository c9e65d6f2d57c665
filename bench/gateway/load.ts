/** Calls a tool many times over a connection, so many at once, and says how long each took. */
import {
  Agent,
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

/** Sends one JSON-RPC message; gives the text of the answer (of the last event, when it is a stream). */
export type Post = (message: object) => Promise<string>;

const accept = 'application/json, text/event-stream';

export interface HttpOptions {
  readonly maxSockets?: number;
  /** There are pauses in which the server closes connections: what meets that moment is sent again. */
  readonly hasPauses?: boolean;
}

export async function openHttp(
  url: string,
  { maxSockets = 512, hasPauses = false }: HttpOptions = {},
): Promise<{ post: Post; close: () => void }> {
  const agent = new Agent({ keepAlive: true, maxSockets });
  let session: Record<string, string> = {};
  const send = (message: object): Promise<{ text: string; headers: IncomingHttpHeaders }> =>
    new Promise((resolve, reject) => {
      const onResponse = (response: IncomingMessage): void => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const body = Buffer.concat(parts).toString();
          const isStream = String(response.headers['content-type']).startsWith('text/event-stream');
          const text = isStream
            ? (body.match(/^data: ?(.+)$/gm)?.at(-1) ?? '').replace(/^data: ?/, '')
            : body;
          if ((response.statusCode ?? 500) >= 400)
            reject(new Error(`${response.statusCode} ${body.slice(0, 300)}`));
          else resolve({ text, headers: response.headers });
        });
      };
      const attempt = (): void => {
        const headers = { 'content-type': 'application/json', accept, ...session };
        const request = httpRequest(url, { method: 'POST', agent, headers }, onResponse);
        request.on('error', (error) => {
          if (hasPauses && isStale(request, error)) attempt();
          else reject(error);
        });
        request.end(JSON.stringify(message));
      };
      attempt();
    });
  const opened = await send(initialize);
  const id = opened.headers['mcp-session-id'];
  session = {
    ...(typeof id === 'string' && { 'mcp-session-id': id }),
    'mcp-protocol-version': '2025-11-25',
  };
  await send(initialized);
  return { post: async (message) => (await send(message)).text, close: () => agent.destroy() };
}

/** The server closed a connection that had been idle, just when it was used again: it has not seen the request. */
function isStale({ reusedSocket }: ClientRequest, error: NodeJS.ErrnoException): boolean {
  return reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

/** The HTTP+SSE transport of 2024-11-05, which mcp-hub speaks: answers come on one stream. */
export async function openSse(url: string): Promise<{ post: Post; close: () => void }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  const waiting = new Map<number, (text: string) => void>();
  const { promise: endpoint, resolve: setEndpoint, reject } = Promise.withResolvers<string>();
  const stream = httpRequest(url, { headers: { accept: 'text/event-stream' } }, (response) => {
    if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
    let rest = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const events = (rest + chunk).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const data = /^data: ?(.*)$/m.exec(event)?.[1] ?? '';
        if (event.includes('event: endpoint')) setEndpoint(new URL(data, url).href);
        if (!data.startsWith('{')) continue;
        const { id } = JSON.parse(data) as { id?: number };
        if (id === undefined) continue;
        waiting.get(id)?.(data);
        waiting.delete(id);
      }
    });
  });
  stream.on('error', reject);
  stream.end();
  const target = await endpoint;
  const post: Post = (message) =>
    new Promise((resolve, fail) => {
      const { id } = message as { id?: number };
      if (id === undefined) resolve('');
      else waiting.set(id, resolve);
      const attempt = (): void => {
        const headers = { 'content-type': 'application/json' };
        const options = { method: 'POST', agent, headers };
        const request = httpRequest(target, options, (it) => it.resume());
        request.on('error', (error) => (isStale(request, error) ? attempt() : fail(error)));
        request.end(JSON.stringify(message));
      };
      attempt();
    });
  await post(initialize);
  await post(initialized);
  const close = (): void => {
    agent.destroy();
    stream.destroy();
  };
  return { post, close };
}

export async function openPipe(
  output: Writable,
  input: Readable,
): Promise<{ post: Post; close: () => void }> {
  const waiting = new Map<number, (text: string) => void>();
  let rest = '';
  input.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { id } = JSON.parse(line) as { id?: number };
      if (id === undefined) continue;
      waiting.get(id)?.(line);
      waiting.delete(id);
    }
  });
  const post: Post = (message) =>
    new Promise((resolve) => {
      const { id } = message as { id?: number };
      if (id === undefined) resolve('');
      else waiting.set(id, resolve);
      output.write(`${JSON.stringify(message)}\n`);
    });
  await post(initialize);
  await post(initialized);
  return { post, close: () => output.end() };
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'load', version: '1.0.0' },
  },
};
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };

const listLimitMs = 15_000;

/** The name under which a contender offers a tool of the upstream (`small`, `upstream__small` …), once it does. */
export async function findTool(post: Post, suffix: string): Promise<string> {
  const until = performance.now() + listLimitMs;
  for (;;) {
    const text = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    const { result } = JSON.parse(text) as { result?: { tools: readonly { name: string }[] } };
    const found = result?.tools.find((tool) => tool.name.endsWith(suffix));
    if (found) return found.name;
    if (performance.now() > until) throw new Error(`No tool "${suffix}" in ${text.slice(0, 300)}`);
    await pause(100);
  }
}

export interface LoadResult {
  readonly calls: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly callsPerSecond: number;
  readonly errors: number;
}

export async function load(
  post: Post,
  { tool, seconds, concurrency }: { tool: string; seconds: number; concurrency: number },
): Promise<LoadResult> {
  const times: number[] = [];
  let next = 0;
  let errors = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  const worker = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      next += 1;
      const params = { name: tool, arguments: { text: 'hello' } };
      const sentAt = performance.now();
      const text = await post({ jsonrpc: '2.0', id: next + 10, method: 'tools/call', params });
      times.push(performance.now() - sentAt);
      if (!text.includes('"content"')) errors += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const took = (performance.now() - startedAt) / 1_000;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
  return { calls: next, p50Ms: at(0.5), p99Ms: at(0.99), callsPerSecond: next / took, errors };
}
