/**
 * Steps per second, time per step and memory of the workflow engine beside LangGraph.js, BullMQ, DBOS,
 * Restate and a floor, in turns, in one run. `node bench/workflow/run.ts [--quick] [--only NAME,NAME]`;
 * writes RESULTS.md beside it.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { besideOther, inTurns, medianOf } from './beside.ts';
import type { Durability } from './contender.ts';
import type { Measured } from './measure.ts';
import { scenarios, sizes } from './scenarios.ts';

const isQuick = process.argv.includes('--quick');
const onlyAt = process.argv.indexOf('--only');
const only = onlyAt < 0 ? undefined : process.argv[onlyAt + 1]?.split(',');
const rounds = isQuick ? 1 : 3;
const limitMs = 600_000;

/** Restate has one way of writing its log: it is listed with those that survive a killed process. */
const contendersOf: Readonly<Record<Durability, readonly string[]>> = {
  normal: ['floor', 'tutti', 'langgraph', 'bullmq-10', 'bullmq-100', 'dbos', 'restate'],
  full: ['floor', 'tutti', 'langgraph', 'bullmq-10', 'bullmq-100', 'dbos'],
};

type Round = Awaited<ReturnType<typeof roundOf>>;

interface Row {
  readonly contender: string;
  readonly short: string;
  readonly scenario: string;
  readonly durability: Durability;
  readonly stepsPerSecond: number;
  readonly p50Us: number;
  readonly memoryMb: number;
  /** Beside the floor, and ours beside the best peer; the medians of the rounds. */
  readonly ofFloor: number;
  readonly ofBest: number;
  /** Who was the best peer in each round. */
  readonly best: string;
}

function measure(contender: string, scenario: string, durability: Durability): Measured {
  const script = join(import.meta.dirname, 'measure.ts');
  const child = spawnSync(process.execPath, [script, contender, scenario, durability], {
    encoding: 'utf8',
    timeout: limitMs,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const line = child.stdout.trim().split('\n').at(-1) ?? '';
  try {
    return JSON.parse(line) as Measured;
  } catch {
    throw new Error(`${contender}, ${scenario}, ${durability}: ${child.stderr.slice(-2_000)}`);
  }
}

/** One round: all contenders one after the other, and then ours in turns with the floor and with the best of the peers. */
async function roundOf(
  names: readonly string[],
  scenario: string,
  durability: Durability,
): Promise<{
  results: Map<string, Measured>;
  ofFloor: number;
  ofBest: number;
  best: string | undefined;
}> {
  const results = new Map<string, Measured>();
  for (const name of names) {
    const result = measure(name, scenario, durability);
    results.set(name, result);
    process.stderr.write(
      `${durability} ${scenario} ${result.contender}: ${Math.round(result.stepsPerSecond)} steps/s\n`,
    );
  }
  const beside = async (contender: string | undefined): Promise<number> =>
    contender !== undefined && results.has('tutti')
      ? besideOther({ contender, scenario, durability })
      : Number.NaN;
  const peers = names.filter((name) => name !== 'floor' && name !== 'tutti');
  const speed = (name: string): number => results.get(name)?.stepsPerSecond ?? 0;
  const best = peers.toSorted((a, b) => speed(b) - speed(a))[0];
  const ofFloor = await beside(results.has('floor') ? 'floor' : undefined);
  return { results, ofFloor, ofBest: await beside(best), best };
}

async function rowsOf(
  names: readonly string[],
  scenario: string,
  durability: Durability,
): Promise<Row[]> {
  const taken: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    taken.push(await roundOf(names, scenario, durability));
  }
  return names.map((short) => {
    const results = taken.flatMap((round) => round.results.get(short) ?? []);
    const isOurs = short === 'tutti';
    return {
      contender: results[0]?.contender ?? short,
      short,
      scenario,
      durability,
      stepsPerSecond: medianOf(results.map((each) => each.stepsPerSecond)),
      p50Us: medianOf(results.map((each) => each.p50Us)),
      memoryMb: medianOf(results.map((each) => each.memoryMb)),
      ofFloor: medianOf(taken.map((round) => (isOurs ? round.ofFloor : ofFloorIn(round, short)))),
      ofBest: isOurs ? medianOf(taken.map((round) => round.ofBest)) : Number.NaN,
      best: [...new Set(taken.map((round) => round.best))].join(', '),
    };
  });
}

function ofFloorIn({ results }: Round, name: string): number {
  const floor = results.get('floor')?.stepsPerSecond ?? Number.NaN;
  return (results.get(name)?.stepsPerSecond ?? Number.NaN) / floor;
}

function table(rows: readonly Row[], durability: Durability): string[] {
  const lines = [
    '| work | contender | steps/s | × best peer | × floor | p50 µs from step to step | memory MB |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: |',
  ];
  for (const { name, label } of scenarios) {
    const here = rows.filter((row) => row.scenario === name && row.durability === durability);
    for (const row of here) {
      const beside = row.short === 'tutti' ? `${row.ofBest.toFixed(1)} (${row.best})` : '';
      lines.push(
        `| ${label} | ${row.contender} | ${Math.round(row.stepsPerSecond)} | ${beside} | ${row.ofFloor.toFixed(2)} | ${Math.round(row.p50Us)} | ${Math.round(row.memoryMb)} |`,
      );
    }
  }
  return lines;
}

const rows: Row[] = [];
for (const durability of ['normal', 'full'] as const) {
  for (const { name } of scenarios) {
    const names = contendersOf[durability].filter((each) => only?.includes(each) ?? true);
    rows.push(...(await rowsOf(names, name, durability)));
  }
}
const scale: string[] = [];
for (const shape of ['sequential', 'wide']) {
  const own = sizes.filter(({ name }) => name.startsWith(shape));
  const turns = await inTurns(
    own.map(({ name }) => ({ contender: 'tutti', scenario: name, durability: 'normal' })),
  );
  let before = { steps: 0, us: 0 };
  for (const [place, { label, steps }] of own.entries()) {
    const us = medianOf(turns[place] ?? []) * 1e6;
    const further = (us - before.us) / (steps - before.steps);
    scale.push(`| ${label} | ${(us / steps).toFixed(1)} | ${further.toFixed(1)} |`);
    before = { steps, us };
  }
}
const lines = [
  `# Results of the last \`make bench-workflow\`${isQuick ? ' (run with `--quick`)' : ''}`,
  '',
  `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}; medians of ${rounds} round(s) in turns, each contender in a process of its own. Ours × floor and × best peer: both in turns of a quarter of a second, and the median of the ratios of neighbours; the others' × floor is that of the two steps/s. Steps do nothing and return a small value.`,
  '',
  '## What is done survives the death of every process (`normal`)',
  '',
  'SQLite `synchronous=NORMAL`, Redis `appendfsync everysec`, PostgreSQL `synchronous_commit=off`; Restate as it comes.',
  '',
  ...table(rows, 'normal'),
  '',
  '## It survives the loss of power too (`full`)',
  '',
  'SQLite `synchronous=FULL`, Redis `appendfsync always`, PostgreSQL `synchronous_commit=on`.',
  '',
  ...table(rows, 'full'),
  '',
  '## What a step of ours costs, by the size of the run',
  '',
  'In turns. What a run costs by itself (checking it, storing it, for which the disk is waited for here, too, its end and its view) is spread over its steps; what each step costs beyond those of the smaller run is in the last column.',
  '',
  '| run | µs per step | µs per further step |',
  '| --- | ---: | ---: |',
  ...scale,
  '',
];
if (!only) writeFileSync(join(import.meta.dirname, 'RESULTS.md'), lines.join('\n'));
process.stdout.write(lines.join('\n'));
