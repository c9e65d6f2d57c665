/** Who is measured: how each is started in front of the upstream, and where its face is. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openHttp, openPipe, openSse, type Post } from './load.ts';

export type Upstream = { readonly kind: 'stdio' } | { readonly kind: 'http'; readonly url: string };

export interface Running {
  readonly pid: number;
  readonly post: Post;
  /** Its address, where its face is one. */
  readonly url?: string;
  close(): Promise<void>;
}

export interface Contender {
  readonly name: string;
  /** The client's side: a socket, or the proxy's own standard input and output. */
  readonly face: 'http' | 'pipe';
  readonly takes: readonly Upstream['kind'][];
  start(upstream: Upstream): Promise<Running>;
}

const here = import.meta.dirname;
const script = (name: string): string => join(here, name);
const bin = (name: string): string => join(here, 'node_modules', '.bin', name);
const startLimitMs = 30_000;
const root = join(here, '..', '..');

export const contenders: readonly Contender[] = [
  direct(),
  floor('http'),
  floor('pipe'),
  tutti('tutti', 'http', { traced: false }),
  tutti('tutti, traced', 'http', { traced: true }),
  tutti('tutti', 'pipe', { traced: false }),
  tutti('tutti, traced', 'pipe', { traced: true }),
  peer('mcp-proxy 6.7.19', ['stdio'], (port) => [
    bin('mcp-proxy'),
    [
      '--port',
      String(port),
      '--host',
      '127.0.0.1',
      '--server',
      'stream',
      '--',
      process.execPath,
      script('upstream.ts'),
    ],
  ]),
  hub(),
  peer('supergateway 4.0.0', ['stdio'], (port) => [
    bin('supergateway'),
    [
      '--stdio',
      `${process.execPath} ${script('upstream.ts')}`,
      '--port',
      String(port),
      '--outputTransport',
      'streamableHttp',
      '--stateful',
      '--logLevel',
      'none',
    ],
  ]),
  {
    name: 'SDK-v2 proxy',
    face: 'http',
    takes: ['stdio', 'http'],
    start: (upstream) =>
      startHttp(process.execPath, [script('sdk-proxy.ts'), upstream.kind, targetOf(upstream)]),
  },
];

/** What is measured is what is shipped. Throws when it is missing: the command would end at once, and say so to nobody. */
export function requireBuild(): void {
  if (existsSync(join(root, 'dist', 'cli', 'start.js'))) return;
  throw new Error('There is no dist: run "npm run build" first');
}

/** The server behind all whose upstream is HTTP. */
export async function startUpstream(): Promise<{ url: string; close: () => Promise<void> }> {
  const running = await startHttp(process.execPath, [script('upstream.ts'), 'http']);
  return { url: running.url ?? '', close: () => running.close() };
}

function targetOf(upstream: Upstream): string {
  return upstream.kind === 'http' ? upstream.url : script('upstream.ts');
}

function direct(): Contender {
  return {
    name: 'direct',
    face: 'http',
    takes: ['http'],
    start: () => startHttp(process.execPath, [script('upstream.ts'), 'http']),
  };
}

function floor(face: 'http' | 'pipe'): Contender {
  return {
    name: 'floor',
    face,
    takes: ['stdio', 'http'],
    start: (upstream) => {
      const args = [script('floor-proxy.ts'), upstream.kind, targetOf(upstream), face];
      return face === 'http'
        ? startHttp(process.execPath, args)
        : startPipe(process.execPath, args);
    },
  };
}

function tutti(name: string, face: 'http' | 'pipe', { traced }: { traced: boolean }): Contender {
  return {
    name,
    face,
    takes: ['stdio', 'http'],
    start: (upstream) => {
      requireBuild();
      const folder = mkdtempSync(join(tmpdir(), 'bench-tutti-'));
      const entry =
        upstream.kind === 'http'
          ? { url: upstream.url }
          : { command: process.execPath, args: [script('upstream.ts')] };
      const settings = {
        home: join(folder, 'home'),
        tracing: { enabled: traced },
        // As its peers, which know no token.
        server: { require_token: false },
        performance: { max_concurrent_requests: 512, max_waiting_requests: 2_000 },
        mcpServers: { upstream: entry },
      };
      const config = join(folder, 'tutti', 'config.yaml');
      mkdirSync(join(folder, 'tutti'));
      writeFileSync(config, JSON.stringify(settings));
      const args = [join(root, 'bin', 'tutti.js')];
      const env = { XDG_CONFIG_HOME: folder };
      const started =
        face === 'http'
          ? startHttp(process.execPath, [...args, 'serve', '--port', '0'], { env, cwd: folder })
          : startPipe(process.execPath, [...args, 'mcp', '--all'], { env, cwd: folder });
      return started.then((running) => ({
        ...running,
        close: async () => {
          await running.close();
          rmSync(folder, { recursive: true, force: true });
        },
      }));
    },
  };
}

function peer(
  name: string,
  takes: Contender['takes'],
  command: (port: number, upstream: Upstream) => readonly [string, readonly string[]],
): Contender {
  return {
    name,
    face: 'http',
    takes,
    start: async (upstream) => {
      const port = await freePort();
      const [program, args] = command(port, upstream);
      return startHttp(program, args, {}, `http://127.0.0.1:${port}/mcp`);
    },
  };
}

function hub(): Contender {
  return peer('mcp-hub 4.2.1', ['stdio', 'http'], (port, upstream) => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-hub-'));
    const entry =
      upstream.kind === 'http'
        ? { url: upstream.url }
        : { command: process.execPath, args: [script('upstream.ts')] };
    const config = join(folder, 'servers.json');
    writeFileSync(config, JSON.stringify({ mcpServers: { upstream: entry } }));
    return [bin('mcp-hub'), ['--port', String(port), '--config', config]];
  });
}

interface Place {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Starts a program whose face is an address: the one given, or the one it prints. */
async function startHttp(
  program: string,
  args: readonly string[],
  place: Place = {},
  address?: string,
): Promise<Running> {
  const child = start(program, args, place, 'ignore');
  try {
    const url = address ?? (await orEnd(child, printedUrl(child)));
    child.stdout?.resume();
    const { post, close } = await orEnd(child, untilOpen(url, child));
    return { pid: child.pid ?? 0, post, url, close: () => stop(child, close) };
  } catch (error) {
    await stop(child, () => {});
    throw error;
  }
}

async function startPipe(
  program: string,
  args: readonly string[],
  place: Place = {},
): Promise<Running> {
  const child = start(program, args, place, 'pipe');
  if (!child.stdin || !child.stdout) throw new Error('A spawned process has its pipes');
  // Its end is reported as such.
  child.stdin.on('error', () => {});
  try {
    const { post, close } = await orEnd(child, openPipe(child.stdin, child.stdout));
    return { pid: child.pid ?? 0, post, close: () => stop(child, close) };
  } catch (error) {
    await stop(child, () => {});
    throw error;
  }
}

/** What a program that starts gives first; an error when it ends before that, or takes too long. */
async function orEnd<Given>(child: ChildProcess, given: Promise<Given>): Promise<Given> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const fail = (what: string): void =>
    reject(
      new Error(
        `"${child.spawnargs.join(' ')}" ${what}. BENCH_STDERR=1 shows what it writes to standard error`,
      ),
    );
  const timer = setTimeout(() => fail(`was not ready within ${startLimitMs} ms`), startLimitMs);
  const onExit = (code: number | null): void => fail(`ended with code ${code} before it was ready`);
  // It may have ended while something else was waited for.
  if (child.pid !== undefined && hasEnded(child)) onExit(child.exitCode);
  child.once('error', reject).once('exit', onExit);
  try {
    return await Promise.race([given, failed]);
  } finally {
    clearTimeout(timer);
    child.off('exit', onExit);
  }
}

function start(
  program: string,
  args: readonly string[],
  place: Place,
  stdin: 'pipe' | 'ignore',
): ChildProcess {
  const child = spawn(program, args, {
    stdio: [stdin, 'pipe', process.env['BENCH_STDERR'] === undefined ? 'ignore' : 'inherit'],
    cwd: place.cwd,
    env: { ...process.env, ...place.env },
    detached: true,
  });
  // In a group of its own it would outlive a bench that is interrupted.
  const end = (): void => signalGroup(child, 'SIGKILL');
  process.once('exit', end);
  const forget = (): void => void process.off('exit', end);
  child.once('exit', forget).once('error', forget);
  return child;
}

function printedUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+(\/mcp)?/.exec(text)?.[0];
      if (url === undefined || !text.includes('\n')) return;
      resolve(url.endsWith('/mcp') ? url : `${url}/mcp`);
    });
  });
}

async function untilOpen(
  url: string,
  child: ChildProcess,
): Promise<{ post: Post; close: () => void }> {
  const until = Date.now() + startLimitMs;
  for (;;) {
    try {
      return await (child.spawnfile.endsWith('mcp-hub')
        ? openSse(url)
        : openHttp(url, { hasPauses: true }));
    } catch (error) {
      if (Date.now() > until || hasEnded(child)) throw error;
      await pause(100);
    }
  }
}

async function stop(child: ChildProcess, close: () => void): Promise<void> {
  close();
  const ended = new Promise<void>((resolve) => {
    if (hasEnded(child)) resolve();
    else child.once('exit', () => resolve());
  });
  signalGroup(child, 'SIGTERM');
  const killer = setTimeout(() => signalGroup(child, 'SIGKILL'), 3_000);
  await ended;
  clearTimeout(killer);
  signalGroup(child, 'SIGKILL');
}

/** Or has never begun. */
function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The group is gone.
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
