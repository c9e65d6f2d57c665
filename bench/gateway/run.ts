/**
 * CPU per call, latency and throughput of a tools/call through each contender, in turns, in one run.
 * `node bench/gateway/run.ts [--quick] [--only NAME,NAME]`; writes RESULTS.md beside it.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import {
  contenders,
  requireBuild,
  type Contender,
  type Running,
  type Upstream,
} from './contenders.ts';
import { findTool, load, type LoadResult } from './load.ts';

const isQuick = process.argv.includes('--quick');
const only = process.argv[process.argv.indexOf('--only') + 1]?.split(',');
const hasOnly = process.argv.includes('--only');
const rounds = isQuick ? 1 : 3;
/** By the clock, not by count: a cell of 10 µs and one of 1 ms then rest on the same processor time. */
const measureSeconds = isQuick ? 1 : 2;
const warmUpSeconds = isQuick ? 2 : 4;
const settleSeconds = 0.3;

interface Row extends LoadResult {
  readonly contender: string;
  readonly face: string;
  readonly upstream: string;
  readonly tool: string;
  readonly concurrency: number;
  readonly cpuUs: number;
}

/**
 * Processor time of one process so far, all its threads: what it started is not the proxy's own work.
 * A thread that ended meanwhile is missing; contenders keep theirs.
 */
function cpuUs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1_000;
}

async function measure(
  running: Running,
  tool: string,
  concurrency: number,
): Promise<LoadResult & { cpuUs: number }> {
  const name = await findTool(running.post, tool);
  await load(running.post, { tool: name, seconds: settleSeconds, concurrency });
  const before = cpuUs(running.pid);
  const result = await load(running.post, { tool: name, seconds: measureSeconds, concurrency });
  return { ...result, cpuUs: (cpuUs(running.pid) - before) / result.calls };
}

/** A proxy runs for days: what V8 spends on compiling its first thousands of calls is not their cost. */
async function warmUp({ post }: Running): Promise<void> {
  for (const tool of ['small', 'large']) {
    const name = await findTool(post, tool);
    await load(post, { tool: name, seconds: warmUpSeconds, concurrency: 32 });
  }
}

async function measureContender(contender: Contender, upstream: Upstream): Promise<Row[]> {
  const running = await contender.start(upstream);
  const rows: Row[] = [];
  try {
    await warmUp(running);
    for (const tool of ['small', 'large']) {
      for (const concurrency of [1, 32, 256]) {
        const measured = await measure(running, tool, concurrency);
        const { name, face } = contender;
        rows.push({
          contender: name,
          face,
          upstream: upstream.kind,
          tool,
          concurrency,
          ...measured,
        });
      }
    }
  } finally {
    await running.close();
  }
  return rows;
}

async function startUpstream(): Promise<{ url: string; stop: () => void }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'upstream.ts'), 'http'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
  });
  return { url, stop: () => child.kill() };
}

const wanted = contenders.filter(
  ({ name }) => !hasOnly || only?.some((start) => name.startsWith(start)),
);
if (wanted.some(({ name }) => name.startsWith('tutti'))) requireBuild();
const http = await startUpstream();
const all: Row[] = [];
for (let round = 0; round < rounds; round += 1) {
  for (const upstream of [{ kind: 'stdio' }, { kind: 'http', url: http.url }] as const) {
    for (const contender of wanted) {
      if (!contender.takes.includes(upstream.kind)) continue;
      try {
        all.push(...(await measureContender(contender, upstream)));
        process.stderr.write(
          `${contender.name} (${contender.face}) over ${upstream.kind}: measured\n`,
        );
      } catch (error) {
        process.stderr.write(`${contender.name} over ${upstream.kind}: ${String(error)}\n`);
      }
    }
  }
}
http.stop();

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const keyOf = (row: Row): string =>
  [row.face, row.upstream, row.tool, row.concurrency, row.contender].join('|');
const groups = Map.groupBy(all, keyOf);
const merged = [...groups.values()].map((rows): Row => {
  const [first] = rows;
  if (!first) throw new Error('A group has a row');
  const of = (pick: (row: Row) => number): number => median(rows.map(pick));
  return {
    ...first,
    cpuUs: of((row) => row.cpuUs),
    p50Ms: of((row) => row.p50Ms),
    p99Ms: of((row) => row.p99Ms),
    callsPerSecond: of((row) => row.callsPerSecond),
    errors: rows.reduce((sum, row) => sum + row.errors, 0),
  };
});
const floorOf = (row: Row): number =>
  merged.find(
    (it) => it.contender === 'floor' && keyOf({ ...row, contender: 'floor' }) === keyOf(it),
  )?.cpuUs ?? Number.NaN;

const lines = merged
  .toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)))
  .map((row) =>
    [
      row.face,
      row.upstream,
      row.tool,
      row.concurrency,
      row.contender,
      row.cpuUs.toFixed(0),
      (row.cpuUs / floorOf(row)).toFixed(2),
      row.p50Ms.toFixed(2),
      row.p99Ms.toFixed(2),
      row.callsPerSecond.toFixed(0),
      row.errors,
    ].join(' | '),
  );
const header =
  'face | upstream | result | at once | contender | CPU µs/call | × floor | p50 ms | p99 ms | calls/s | errors';
const table = `| ${header} |\n|${' --- |'.repeat(11)}\n${lines.map((line) => `| ${line} |`).join('\n')}\n`;
process.stdout.write(table);
if (!hasOnly) {
  writeFileSync(
    join(import.meta.dirname, 'RESULTS.md'),
    `# Results of the last \`make bench-gateway\`\n\nNode ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}; medians of ${rounds} rounds in turns. CPU is the proxy's own process.\n\n${table}`,
  );
}
