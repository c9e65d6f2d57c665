/** HTTP clients as small as they get, on bare sockets: what is measured is the server. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

export interface Ask {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly token: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
}

/** One connection that is used again; the server may have closed it when it was idle. */
export class Client {
  readonly #port: number;
  #socket: Socket;
  #text = '';
  #done: ((text: string) => void) | undefined;
  #fail: ((error: Error) => void) | undefined;

  constructor(port: number) {
    this.#port = port;
    this.#socket = this.#connect();
  }

  /** The whole response as it came. */
  send(bytes: string): Promise<string> {
    if (!this.#socket.writable) this.#socket = this.#connect();
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#fail = reject;
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#fail = undefined;
    this.#socket.destroy();
  }

  #connect(): Socket {
    this.#text = '';
    const socket = connect(this.#port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
    const fail = (error: Error): void => {
      if (socket === this.#socket) this.#fail?.(error);
    };
    socket.on('data', (chunk) => this.#take(String(chunk)));
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('The connection was closed')));
    return socket;
  }

  #take(chunk: string): void {
    this.#text += chunk;
    if (!isWhole(this.#text)) return;
    const text = this.#text;
    this.#text = '';
    this.#fail = undefined;
    this.#done?.(text);
  }
}

/** Lengths count bytes, and so do the characters of latin1. */
function isWhole(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return false;
  const length = /content-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1];
  if (length === undefined) return text.endsWith('0\r\n\r\n');
  return text.length >= headEnd + 4 + Number(length);
}

export function requestBytes({ method = 'GET', path, token, body, headers = {} }: Ask): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', `authorization: Bearer ${token}`];
  for (const [name, value] of Object.entries(headers)) head.push(`${name}: ${value}`);
  if (body !== undefined) {
    head.push('content-type: application/json', `content-length: ${Buffer.byteLength(text)}`);
  }
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}

/** Sends `count` requests, `asks` in turn, one at a time on each of the connections. */
export async function load(
  port: number,
  asks: readonly Ask[],
  { count, connections }: { readonly count: number; readonly connections: number },
): Promise<LoadResult> {
  const requests = asks.map(requestBytes);
  const times: number[] = [];
  let next = 0;
  let errors = 0;
  const work = async (): Promise<void> => {
    const client = new Client(port);
    while (next < count) {
      const bytes = requests[next % requests.length] ?? '';
      next += 1;
      const sentAt = performance.now();
      const text = await client.send(bytes);
      times.push(performance.now() - sentAt);
      if (!/^HTTP\/1\.1 2\d\d /.test(text)) errors += 1;
    }
    client.close();
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, work));
  const tookMs = performance.now() - startedAt;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
  return { perSecond: (count / tookMs) * 1_000, p50Ms: at(0.5), p99Ms: at(0.99), errors };
}

/** The JSON of one answer. */
export async function ask(port: number, wanted: Ask): Promise<Record<string, unknown>> {
  const client = new Client(port);
  const text = await client.send(requestBytes(wanted));
  client.close();
  if (!/^HTTP\/1\.1 2\d\d /.test(text)) throw new Error(`${wanted.path}: ${text.slice(0, 500)}`);
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as Record<string, unknown>;
}

/** Processor time of a process so far, in milliseconds: the kernel counts in hundredths of a second. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}
