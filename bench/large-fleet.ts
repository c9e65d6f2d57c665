import { spawn, spawnSync, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { bin, opening } from './list-tools.ts';
import { compare, type Comparison } from './measure.ts';
import { emptyNode } from './start-up.ts';

const servers = 70;
const toolsPerServer = 15;
/** Each starts a hundred and forty programs. */
const rounds = 3;
const commandRounds = 9;
const limitMs = 180_000;
const pretend = new URL('pretend-server.ts', import.meta.url).pathname;

/** Seventy servers of which nothing is known: until all their tools are listed, beside starting the same programs bare. */
export async function measureLargeFleet(): Promise<Comparison[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-large-'));
  const home = join(folder, 'data');
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TUTTI_HOME: home };
  const notified: number[] = [];
  try {
    writeSettings(folder);
    const [ours, base] = await compareAlone(async () => {
      rmSync(home, { recursive: true, force: true });
      notified.push(await untilAllListed(folder, env));
    }, startBare);
    const [tools, node] = await compare(
      () => {
        const run = spawnSync(process.execPath, [bin, 'tools', 'server-7'], { cwd: folder, env });
        if (run.status !== 0) throw new Error(`tutti tools ended with ${run.status}`);
      },
      emptyNode,
      commandRounds,
    );
    const all = servers * toolsPerServer;
    return [
      {
        name: `tutti mcp, ${servers} servers, until ${all} tools are listed`,
        floor: 'starting the servers',
        limit: Infinity,
        unit: 'ms',
        ours,
        base,
      },
      {
        name: 'list_changed on the way',
        floor: '–',
        limit: 10,
        unit: '',
        ours: Math.max(...notified),
        base: 1,
      },
      {
        name: `tutti tools NAME, ${all} tools known`,
        floor: 'node -e 0',
        limit: Infinity,
        unit: 'ms',
        ours: tools,
        base: node,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In turns, without rounds to warm up: these take seconds. */
async function compareAlone(
  ours: () => Promise<void>,
  base: () => Promise<void>,
): Promise<[number, number]> {
  const measured: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    await ours();
    const oursMs = performance.now() - startedAt;
    await base();
    measured.push([oursMs, performance.now() - startedAt - oursMs]);
  }
  measured.sort(([a, b], [c, d]) => a / b - c / d);
  return measured[Math.floor(rounds / 2)] ?? [Number.NaN, Number.NaN];
}

/** A client that lists again when it is told to; gives how often it was told. */
async function untilAllListed(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const child = spawn(process.execPath, [bin, 'mcp', '--all'], {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  let told = 0;
  let lastId = 2;
  child.stdin.write(opening);
  let names = new Set<string>();
  const list = (cursor?: string): void => {
    lastId += 1;
    const request = { jsonrpc: '2.0', id: lastId, method: 'tools/list', params: { cursor } };
    child.stdin.write(`${JSON.stringify(request)}\n`);
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as Listed;
    if (message.method === 'notifications/tools/list_changed') {
      told += 1;
      names = new Set();
      list();
    }
    if (message.result?.nextCursor !== undefined) list(message.result.nextCursor);
    for (const { name } of message.result?.tools ?? []) {
      if (name.startsWith('server-')) names.add(name);
    }
    if (names.size < servers * toolsPerServer) continue;
    clearTimeout(timer);
    await stop(child);
    return told;
  }
  throw new Error(`tutti mcp did not list all tools within ${limitMs} ms`);
}

interface Listed {
  readonly method?: string;
  readonly result?: {
    readonly tools?: readonly { readonly name: string }[];
    readonly nextCursor?: string;
  };
}

async function startBare(): Promise<void> {
  const children = Array.from({ length: servers }, () =>
    spawn(process.execPath, [pretend, String(toolsPerServer)], {
      stdio: ['pipe', 'pipe', 'ignore'],
    }),
  );
  await Promise.all(children.map(untilListed));
  await Promise.all(children.map(stop));
}

function untilListed(child: ChildProcessByStdio<Writable, Readable, null>): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('exit', () => reject(new Error('a server ended')));
    createInterface({ input: child.stdout }).on('line', (line) => {
      if ((JSON.parse(line) as { id?: number }).id === 2) resolve();
    });
    child.stdin.write(opening);
  });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('exit', () => resolve());
    child.stdin?.end();
  });
}

function writeSettings(folder: string): void {
  const entry = { command: process.execPath, args: [pretend, String(toolsPerServer)] };
  // Entries that are the same could share what was listed.
  const mcpServers = Object.fromEntries(
    Array.from({ length: servers }, (_, number) => [
      `server-${number}`,
      { ...entry, env: { NUMBER: String(number) } },
    ]),
  );
  mkdirSync(join(folder, '.config', 'tutti'), { recursive: true });
  writeFileSync(join(folder, '.config', 'tutti', 'config.yaml'), JSON.stringify({ mcpServers }));
}
