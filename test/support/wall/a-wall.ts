import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll } from 'vitest';

export type Json = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

export interface Ask {
  readonly method?: string;
  readonly path?: string;
  /** In addition to the token, unless they have an `authorization` of their own; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: string | object;
}

export interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
}

export interface WallOptions {
  /** The user's own settings. */
  readonly settings?: object;
  readonly env?: Readonly<Record<string, string>>;
}

const repository = new URL('../../../', import.meta.url).pathname;
/** A copy of the sources with one guard switched off; only `guard-mutation.test.ts` sets it. */
const mutant = process.env['TUTTI_WALL_ROOT'];
const program = mutant ? join(mutant, 'src/cli/start.ts') : join(repository, 'bin/tutti.js');
const spy = new URL('spy.mjs', import.meta.url).href;

/** A module of the program under test, for guards that no route reaches yet. */
export function importUnderTest<Module>(path: string): Promise<Module> {
  return import(/* @vite-ignore */ join(mutant ?? repository, 'src', path)) as Promise<Module>;
}

/** `tutti serve` in a process of its own, for all tests of a file. Every process it starts is written down. */
export class Wall {
  readonly folder = mkdtempSync(join(tmpdir(), 'tutti-wall-'));
  readonly project = join(this.folder, 'project');
  readonly home = join(this.folder, 'data');
  token = '';
  port = 0;
  /** Failed requests; those refused for who sent them, or how, as the audit log names them. */
  readonly #failed: (string | undefined)[] = [];
  readonly #options: WallOptions;
  #child: ChildProcessWithoutNullStreams | undefined;
  #session: Promise<Record<string, string>> | undefined;

  constructor(options: WallOptions) {
    this.#options = options;
    mkdirSync(join(this.folder, '.config', 'tutti'), { recursive: true });
    mkdirSync(this.project);
    const settings = { roots: [this.project], ...options.settings };
    writeFileSync(join(this.folder, '.config/tutti/config.yaml'), JSON.stringify(settings));
  }

  async start(): Promise<void> {
    const child = this.run('serve', '--port', '0');
    this.#child = child;
    let problem = '';
    child.stderr.on('data', (chunk: Buffer) => (problem += chunk.toString()));
    const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
    const ended = once(child, 'close').then(() => Promise.reject(new Error(problem)));
    const [said] = await Promise.race([line, ended]);
    this.port = Number(new URL(said.replace('listening on ', '')).port);
    this.token = readFileSync(join(this.home, 'serve-token'), 'utf8').trim();
    rmSync(this.#spyFile, { force: true });
  }

  async stop(): Promise<void> {
    this.#child?.kill('SIGTERM');
    if (this.#child && this.#child.exitCode === null) await once(this.#child, 'close');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What the server started since it listens: program and arguments. */
  started(): readonly (readonly string[])[] {
    if (!existsSync(this.#spyFile)) return [];
    const lines = readFileSync(this.#spyFile, 'utf8').trim().split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line) as string[]);
  }

  #note(target: string, status: number, text: string): void {
    if (status < 400) return;
    // A call of MCP by somebody who may not make it is recorded under the name of its tool or method.
    const isNamed = target === 'POST /mcp' && text.includes('access.forbidden');
    const isRefused = (status === 401 || status === 403) && !isNamed;
    this.#failed.push(isRefused ? target.split('?', 1)[0] : undefined);
  }

  /** Every request that was refused has its entry in the audit log, up to the number that is recorded in a minute. */
  async expectRecorded(): Promise<void> {
    const counts = new Map<string, number>();
    for (let after = ''; ;) {
      const path = `/api/v1/audit?limit=200&isAllowed=false${after}`;
      const { items, nextCursor } = JSON.parse((await this.http({ path })).text) as {
        items: { action: string; target: string }[];
        nextCursor: string | null;
      };
      for (const { target } of items) counts.set(target, (counts.get(target) ?? 0) + 1);
      if (nextCursor === null) break;
      after = `&cursor=${nextCursor}`;
    }
    for (const target of this.#failed.slice(0, maxRecorded)) {
      if (target === undefined) continue;
      const left = counts.get(target) ?? 0;
      if (left === 0) throw new Error(`The audit log has no entry for ${target}`);
      counts.set(target, left - 1);
    }
  }

  get isAlive(): boolean {
    return this.#child?.exitCode === null;
  }

  /** Starts a command of the program under test in the project. */
  run(...argv: readonly string[]): ChildProcessWithoutNullStreams {
    return this.#runIn(this.project, argv);
  }

  #runIn(cwd: string, argv: readonly string[]): ChildProcessWithoutNullStreams {
    const isServer = argv[0] === 'serve' && !this.#child;
    return spawn(process.execPath, ['--import', spy, program, ...argv], {
      cwd,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: this.folder,
        TUTTI_HOME: this.home,
        TUTTI_MODELS_AUTODETECT: 'false',
        WALL_SPY_FILE: isServer ? this.#spyFile : `${this.#spyFile}-cli`,
        ...this.#options.env,
      },
    });
  }

  /** Runs a command to its end. */
  cli(...argv: readonly string[]): Promise<Ended> {
    return this.cliIn(this.project, ...argv);
  }

  /** The same in another folder. */
  async cliIn(cwd: string, ...argv: readonly string[]): Promise<Ended> {
    const child = this.#runIn(cwd, argv);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stdin.on('error', () => undefined).end();
    const [exitCode] = (await once(child, 'close')) as [number | null];
    return { exitCode, output };
  }

  http({ method = 'GET', path = '/', headers = {}, body }: Ask): Promise<Answer> {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    const all: Record<string, string | string[] | undefined> = {
      authorization: `Bearer ${this.token}`,
      ...(text !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
        accept,
      }),
      ...headers,
    };
    const sent = Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.port, method, path, headers: sent };
      const asked = request(options, (response) => {
        let answered = '';
        const end = (): void => {
          const { statusCode: status = 0, headers: given } = response;
          this.#note(`${method} ${path}`, status, answered);
          resolve({ status, headers: given, text: answered });
        };
        response.setEncoding('utf8').on('data', (chunk: string) => (answered += chunk));
        response.on('end', end);
        // A stream that was granted does not end.
        if (response.headers['content-type'] === 'text/event-stream' && method === 'GET') {
          end();
          asked.destroy();
        }
      });
      asked.on('error', reject).end(text);
    });
  }

  /** Bytes as they are, and everything that comes back until the server closes. */
  async raw(...lines: readonly string[]): Promise<Answer> {
    const socket = connect(this.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    socket.end(`${lines.join('\r\n')}\r\n\r\n`);
    // A reset after the answer is no failure.
    await new Promise((resolve) => socket.once('close', resolve));
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
    this.#note(lines[0]?.replace(/ HTTP.*/, '') ?? '', status, text);
    return { status, headers: {}, text };
  }

  /** A request of MCP 2026-07-28. */
  stateless(method: string, params: Json = {}, headers: Ask['headers'] = {}): Promise<Answer> {
    const name = params['name'] ?? params['uri'] ?? params['taskId'];
    const mirrored = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': encodeName(name) }),
    };
    const body = { jsonrpc: '2.0', id: 1, method, params: { _meta: statelessMeta, ...params } };
    return this.http({ method: 'POST', path: '/mcp', headers: { ...mirrored, ...headers }, body });
  }

  /** A request of MCP 2025-11-25, in one session for all of them. */
  async inSession(
    method: string,
    params: Json = {},
    headers: Ask['headers'] = {},
  ): Promise<Answer> {
    this.#session ??= this.openSession();
    const body = { jsonrpc: '2.0', id: 1, method, params };
    const given = { ...(await this.#session), ...headers };
    return this.http({ method: 'POST', path: '/mcp', headers: given, body });
  }

  async openSession(version = '2025-11-25'): Promise<Record<string, string>> {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: client };
    const body = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
    const { headers } = await this.http({ method: 'POST', path: '/mcp', body });
    return {
      'mcp-session-id': String(headers['mcp-session-id']),
      'mcp-protocol-version': version,
    };
  }

  /** Requests of MCP 2025-11-25 to `tutti mcp`, and the answer to each. */
  async stdio(...requests: readonly { method: string; params: Json }[]): Promise<Json[]> {
    const child = this.run('mcp');
    child.stderr.resume();
    const answers: Json[] = [];
    const lines = createInterface(child.stdout);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client };
    const all = [{ method: 'initialize', params }, ...requests];
    lines.on('line', (line) => {
      const message = JSON.parse(line) as Json;
      if (message['id'] !== undefined) answers[Number(message['id'])] = message;
      if (answers.filter(Boolean).length === all.length) child.stdin.end();
    });
    for (const [id, asked] of all.entries()) {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...asked })}\n`);
    }
    await once(child, 'close');
    return answers.slice(1);
  }

  get #spyFile(): string {
    return join(this.folder, 'started');
  }
}

/** Of refusals before there is a caller, in a minute. */
const maxRecorded = 300;
const accept = 'application/json, text/event-stream';
const client = { name: 'wall', version: '1' };
const statelessMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': client,
  'io.modelcontextprotocol/clientCapabilities': {},
};

function encodeName(name: string): string {
  if (/^[\x21-\x7e]+$/.test(name)) return name;
  return `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

/** The last JSON-RPC message of an answer, plain or as an event stream. */
export function rpcOf({ text }: Answer): Json {
  const data = text.split('\n').findLast((line) => line.startsWith('data: '));
  return JSON.parse(data?.slice('data: '.length) ?? text) as Json;
}

/** Runs before the tests of a file and ends after them. */
export function aWall(options: WallOptions = {}): Wall {
  const wall = new Wall(options);
  beforeAll(() => wall.start());
  afterAll(async () => {
    try {
      if (wall.isAlive) await wall.expectRecorded();
    } finally {
      await wall.stop();
    }
  });
  return wall;
}

/** The routes of the product: those below, and those its OpenAPI document lists once it serves one. */
export async function routesOf(wall: Wall): Promise<{ method: string; path: string }[]> {
  const { status, text } = await wall.http({ path: '/api/openapi.json' });
  if (status !== 200) return [...ownRoutes];
  const { paths = {} } = JSON.parse(text) as { paths?: Record<string, Json> };
  const listed = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => /^(?:get|post|put|patch|delete)$/.test(method))
      // An empty list of requirements: anyone may call it.
      .filter((method) => (item[method] as { security?: unknown[] }).security?.length !== 0)
      .map((method) => ({
        method: method.toUpperCase(),
        path: path.replaceAll(/\{[^}]+\}/g, 'sha256:0000'),
      })),
  );
  return [...ownRoutes, ...listed];
}

const ownRoutes = [
  { method: 'POST', path: '/mcp' },
  { method: 'GET', path: '/mcp' },
  { method: 'DELETE', path: '/mcp' },
  { method: 'GET', path: '/sse' },
  { method: 'POST', path: '/messages' },
  { method: 'GET', path: '/metrics' },
] as const;
