/**
 * The REST API of `tutti serve` beside bare Hono handlers over the same rooms, loaded in turns:
 * `node bench/api/run.ts [--quick]`. Writes RESULTS.md beside it and ends with 1 when a limit is exceeded.
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { comparisonTable, isExceeded } from '../comparison-table.ts';
import type { Comparison } from '../measure.ts';
import { ask, cpuMs, load, type Ask, type LoadResult } from './load.ts';
import { makeKeys, startBare, startTutti, type Running } from './servers.ts';
import { measureStreams } from './streams.ts';

const isQuick = process.argv.includes('--quick');
const rounds = isQuick ? 3 : 31;
const perRound = isQuick ? 500 : 1_000;
const connections = 32;
const tenants = 100;
const inFlightPerTenant = 10;
/** 70 % of the throughput. */
const readLimit = 1.43;

interface Measured extends LoadResult {
  readonly cpuMicros: number;
}

interface Row {
  readonly name: string;
  readonly ours: Measured;
  readonly bare: Measured;
}

type Asks = (running: Running, tokens: readonly string[]) => Promise<readonly Ask[]>;

const runBody = { plan: { name: 'run', steps: [{ id: 'a', sleep: '1ms' }] } };

const cases: readonly { name: string; limit: number; asks: Asks; share?: number }[] = [
  { name: 'health', limit: readLimit, asks: async (_at, tokens) => each(tokens, '/health') },
  { name: 'list runs', limit: readLimit, asks: async (_at, tokens) => each(tokens, '/runs') },
  {
    name: 'list tools',
    limit: readLimit,
    asks: async (_at, tokens) => each(tokens, '/tools?limit=50'),
  },
  {
    name: 'events of a run',
    limit: readLimit,
    asks: async ({ port }, [token = '']) => {
      const started = { method: 'POST', path: '/api/v1/runs', token, body: runBody } as const;
      const { runId } = await ask(port, started);
      return [{ path: `/api/v1/runs/${String(runId)}/events`, token }];
    },
  },
  { name: 'call a tool', limit: Infinity, asks: async (_at, tokens) => tokens.map(call) },
  {
    name: 'submit a run',
    limit: Infinity,
    share: 1 / 8,
    asks: async (_at, tokens) =>
      tokens.map((token) => ({ method: 'POST', path: '/api/v1/runs', token, body: runBody })),
  },
];

function each(tokens: readonly string[], path: string): Ask[] {
  return tokens.map((token) => ({ path: `/api/v1${path}`, token }));
}

function call(token: string): Ask {
  const body = { arguments: { text: 'hello' } };
  return { method: 'POST', path: '/api/v1/tools/upstream.small/call', token, body };
}

async function measure(running: Running, asks: readonly Ask[], at: LoadOptions): Promise<Measured> {
  const before = cpuMs(running.pid);
  const result = await load(running.port, asks, at);
  return { ...result, cpuMicros: ((cpuMs(running.pid) - before) * 1_000) / at.count };
}

interface LoadOptions {
  readonly count: number;
  readonly connections: number;
}

/** Both in turns; the round whose ratio of throughputs is the median. */
async function compareLoads(
  name: string,
  [ours, oursAsks]: readonly [Running, readonly Ask[]],
  [bare, bareAsks]: readonly [Running, readonly Ask[]],
  options: LoadOptions,
): Promise<Row> {
  await measure(ours, oursAsks, options);
  await measure(bare, bareAsks, options);
  const measured: Row[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0;
    const early = first ? await measure(ours, oursAsks, options) : undefined;
    const bareResult = await measure(bare, bareAsks, options);
    const oursResult = early ?? (await measure(ours, oursAsks, options));
    measured.push({ name, ours: oursResult, bare: bareResult });
  }
  const ratio = (row: Row): number => row.bare.perSecond / row.ours.perSecond;
  const sorted = measured.toSorted((a, b) => ratio(a) - ratio(b));
  const middle = sorted[Math.floor(rounds / 2)];
  if (!middle) throw new Error('There was no round');
  return middle;
}

function loadTable(rows: readonly Row[]): string {
  const header = ['what', 'who', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'errors'];
  const cells = (name: string, who: string, it: Measured): string[] => [
    name,
    who,
    it.perSecond.toFixed(0),
    it.p50Ms.toFixed(2),
    it.p99Ms.toFixed(2),
    it.cpuMicros.toFixed(0),
    String(it.errors),
  ];
  return [
    header,
    header.map(() => '---'),
    ...rows.flatMap(({ name, ours, bare }) => [
      cells(name, 'Tutti', ours),
      cells(name, 'bare Hono', bare),
    ]),
  ]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

const loadNow = (): string => (loadavg()[0] ?? 0).toFixed(1);
const loadBefore = loadNow();
const results: Comparison[] = [];
const rows: Row[] = [];

const ours = await startTutti();
const bare = await startBare();
const keys = await makeKeys(ours, tenants);
const names = keys.map((_key, number) => `tenant-${number}/key-${number}`);
for (const [running, tokens] of [
  [ours, keys],
  [bare, names],
] as const) {
  for (const token of tokens) {
    await ask(running.port, { method: 'POST', path: '/api/v1/runs', token, body: runBody });
  }
}
for (const { name, limit, asks, share = 1 } of cases) {
  const row = await compareLoads(
    name,
    [ours, await asks(ours, keys)],
    [bare, await asks(bare, names)],
    { count: Math.round(perRound * share), connections },
  );
  rows.push(row);
  results.push(timeOf(row, limit));
}
const mixed = (tokens: readonly string[]): Ask[] =>
  tokens.flatMap((token) => [
    { path: '/api/v1/runs?limit=10', token },
    { path: '/api/v1/tools?limit=50', token },
    call(token),
  ]);
const crowd = await compareLoads(
  `${tenants} tenants × ${inFlightPerTenant}, mixed`,
  [ours, mixed(keys)],
  [bare, mixed(names)],
  { count: perRound * 2, connections: tenants * inFlightPerTenant },
);
rows.push(crowd);
results.push({
  name: `${crowd.name}: p99`,
  floor: 'bare Hono',
  limit: 3,
  unit: 'ms',
  ours: crowd.ours.p99Ms,
  base: crowd.bare.p99Ms,
});
await ours.close();
await bare.close();
results.push(...(await measureAccess()), ...(await measureStreams(isQuick ? 1_000 : 10_000)));

function timeOf({ name, ours: a, bare: b }: Row, limit: number): Comparison {
  const [mine, base] = [1_000_000 / a.perSecond, 1_000_000 / b.perSecond];
  return { name, floor: 'bare Hono', limit, unit: 'µs a request', ours: mine, base };
}

/** What a key, its limits, its permission and two audit entries cost a call: the same call without all of them. */
async function measureAccess(): Promise<Comparison[]> {
  const guarded = await startTutti();
  const open = await startTutti({ audit: { enabled: false } });
  const [key = ''] = await makeKeys(guarded, 1);
  const { ours: a, bare: b } = await compareLoads(
    'access',
    [guarded, [call(key)]],
    [open, [call(open.token)]],
    { count: perRound, connections },
  );
  await guarded.close();
  await open.close();
  const name = 'CPU of identity, limits, policy and audit';
  const cost = a.cpuMicros - b.cpuMicros;
  return [{ name, floor: '–', limit: 60, unit: 'µs a call', ours: cost, base: 1 }];
}

const table = comparisonTable(results);
console.log(`${table}\n\n${loadTable(rows)}`);
if (!isQuick) {
  writeFileSync(
    new URL('RESULTS.md', import.meta.url),
    `# Results of the last \`make bench-api\`\n\nNode ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, client and server on the same machine, load average ${loadBefore} before and ${loadNow()} after (what else ran counts); ${rounds} rounds in turns of ${perRound} requests on ${connections} connections. Of each case the round whose ratio is the median. Reads: 1.43 × the time is 70 % of the throughput.\n\n${table}\n\n${loadTable(rows)}\n`,
  );
}
if (results.some(isExceeded)) process.exitCode = 1;
