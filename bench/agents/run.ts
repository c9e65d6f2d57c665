/**
 * Choice among agents and comparison of versions in simulated worlds. `node bench/agents/run.ts`; writes RESULTS.md
 * beside it and ends with 1 when a goal is missed. `--quick` plays fewer draws and writes nothing.
 */
import { writeFileSync } from 'node:fs';
import { tmpdir, cpus } from 'node:os';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentChoice } from '../../src/agents/index.ts';
import type { ChoiceLog } from '../../src/agents/index.ts';
import { localCaller } from '../../src/contract/caller/index.ts';
import { traceLimits } from '../../src/observe/index.ts';
import { openStore } from '../../src/store/index.ts';
import { createMemoryChoiceLog } from '../../testkit/agents/memory-choice-log.ts';
import { estimatePolicies, type Estimated } from './off-policy.ts';
import { measureRegret, type RegretRow } from './regret.ts';
import { tryVersion, type Trial, type VersionWorld } from './versions.ts';
import { readWorlds } from './world.ts';

const goals = {
  tuned: 1.3,
  uniform: 0.35,
  promoted: 5,
  rolledBack: 95,
  covered: 93,
  microseconds: 200,
};
const isQuick = process.argv.includes('--quick');
const [draws, trials, maxTasks] = isQuick ? [1, 10, 500] : [5, 100, 2_000];
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;
const part = (values: readonly boolean[]) => (100 * values.filter(Boolean).length) / values.length;

const rows: RegretRow[] = [];
for (const spec of readWorlds()) rows.push(await measureRegret(spec, numbers(draws)));
const versions = await playVersions();
const estimates: Estimated[] = [];
for (const spec of readWorlds().filter(({ drift, newcomer }) => !drift && newcomer === undefined)) {
  const horizon = Math.min(maxTasks, spec.horizon);
  for (const seed of numbers(draws)) {
    estimates.push(...(await estimatePolicies({ ...spec, horizon }, seed)));
  }
}
const times = { memory: await timeChoices(createMemoryChoiceLog()), sqlite: await timeInStore() };

const checks = summarise();
const text = report();
if (!isQuick) writeFileSync(new URL('RESULTS.md', import.meta.url), text);
console.log(text);
process.exitCode = isQuick || checks.every(({ isMet }) => isMet) ? 0 : 1;

async function playVersions(): Promise<{ world: VersionWorld; played: Trial[] }[]> {
  const worlds = [0, -0.1].flatMap((difference) =>
    (['share', 'shadow'] as const).flatMap((mode) =>
      [0.5, 0.8, 0.95].map((success): VersionWorld => {
        const maxOutcomes = difference === 0 ? 200 : 150;
        return { success, difference, mode, share: 0.5, known: 300, maxOutcomes, alike: 0.5 };
      }),
    ),
  );
  const all = [];
  for (const world of worlds) {
    const played: Trial[] = [];
    for (const seed of numbers(trials)) played.push(await tryVersion(world, seed));
    all.push({ world, played });
  }
  return all;
}

/** Microseconds: median and 99th percentile, ten candidates, a thousand outcomes known. */
async function timeChoices(log: ChoiceLog): Promise<{ median: number; p99: number }> {
  const { chooser } = createAgentChoice({ log });
  const candidates = numbers(10).map((index) => ({
    agent: `a${index}`,
    version: '1',
    health: 1,
    load: 0,
  }));
  const task = { capability: 'code.write', language: 'python', kind: 'fix', size: 'small' };
  const taken: number[] = [];
  for (let turn = 0; turn < 3_000; turn += 1) {
    const began = performance.now();
    const { decisionId } = await chooser.choose({
      caller: localCaller,
      task,
      candidates,
      mayExplore: true,
    });
    taken.push((performance.now() - began) * 1_000);
    await chooser.record(localCaller, {
      decisionId,
      success: turn % 3 === 0 ? 0 : 1,
      evidence: 'tests',
    });
  }
  const sorted = taken.slice(1_000).sort((one, other) => one - other);
  const at = (quantile: number) => sorted[Math.floor(sorted.length * quantile)] ?? 0;
  return { median: at(0.5), p99: at(0.99) };
}

async function timeInStore(): Promise<{ median: number; p99: number }> {
  const home = mkdtempSync(join(tmpdir(), 'tutti-bench-agents-'));
  const store = openStore({ home, traceLimits });
  try {
    return await timeChoices(store.choices);
  } finally {
    store.close();
    rmSync(home, { recursive: true });
  }
}

/** One Thompson sampler, tuned for all worlds of a half together. */
function tunedTogether(half: readonly RegretRow[]): number {
  const tunings = half[0]?.tunedAll ?? [];
  return Math.min(
    ...tunings.map((_, index) => sum(half.map(({ tunedAll }) => tunedAll[index] ?? 0))),
  );
}

function summarise() {
  const ratios = (['tuning', 'held out'] as const).flatMap((name) => {
    const half = rows.filter(({ spec }) => spec.half === name);
    const ours = sum(half.map((row) => row.ours));
    return [
      {
        what: `regret, ${name}: ours / one tuned sampler`,
        value: ours / tunedTogether(half),
        most: goals.tuned,
      },
      {
        what: `regret, ${name}: ours / samplers tuned world by world, sums`,
        value: ours / sum(half.map((row) => row.tuned)),
        most: goals.tuned,
      },
      {
        what: `regret, ${name}: the same, mean of the ratios`,
        value: mean(half.map((row) => row.ours / row.tuned)),
        most: goals.tuned,
      },
      {
        what: `regret, ${name}: ours / uniform`,
        value: ours / sum(half.map((row) => row.uniform)),
        most: goals.uniform,
      },
    ];
  });
  const of = (difference: number) =>
    versions.filter(({ world }) => world.difference === difference).flatMap(({ played }) => played);
  const most = [
    ...ratios,
    {
      what: 'largest exploration in one choice, %',
      value: 100 * Math.max(...rows.map((row) => row.maxExplored)),
      most: 5.000_001,
    },
    {
      what: 'equal versions promoted, %',
      value: part(of(0).map(({ decision }) => decision === 'promoted')),
      most: goals.promoted,
    },
    { what: 'choosing, in memory, µs', value: times.memory.median, most: goals.microseconds },
    { what: 'choosing, with SQLite, µs', value: times.sqlite.median, most: goals.microseconds },
  ].map((one) => ({ ...one, goal: `≤ ${one.most.toFixed(2)}`, isMet: one.value <= one.most }));
  const least = [
    {
      what: 'versions 10 points worse rolled back within 150 outcomes, %',
      value: part(of(-0.1).map(({ decision }) => decision === 'rolled back')),
      least: goals.rolledBack,
    },
    {
      what: 'off-policy intervals that cover, %',
      value: part(estimates.map(({ isCovered }) => isCovered)),
      least: goals.covered,
    },
  ].map((one) => ({ ...one, goal: `≥ ${one.least}`, isMet: one.value >= one.least }));
  return [...most, ...least];
}

function report(): string {
  const table = (head: readonly string[], lines: readonly (readonly string[])[]) =>
    [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const worlds = rows.map(({ spec, ours, tuned, uniform, meanExplored }) => [
    spec.name,
    spec.half,
    ours.toFixed(1),
    tuned.toFixed(1),
    (ours / tuned).toFixed(2),
    (ours / uniform).toFixed(2),
    (100 * meanExplored).toFixed(1),
  ]);
  const tried = versions.map(({ world, played }) => [
    world.mode,
    String(world.success),
    (world.success + world.difference).toFixed(2),
    part(played.map(({ decision }) => decision === 'promoted')).toFixed(1),
    part(played.map(({ decision }) => decision === 'rolled back')).toFixed(1),
    mean(played.map(({ outcomes }) => outcomes)).toFixed(0),
  ]);
  return `# Results of the last \`node bench/agents/run.ts\`

Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? ''}; ${draws} draws of each world, ${trials} experiments of each kind. What is measured: [docs/choose-agents.md](../../docs/choose-agents.md).

${table(
  ['what', 'value', 'goal', 'met'],
  checks.map(({ what, value, goal, isMet }) => [
    what,
    value.toFixed(2),
    goal,
    isMet ? 'yes' : 'no',
  ]),
)}

## Regret

Expected successes lost. *Tuned*: the best of 16 Thompson samplers, for each world with hindsight. *Explored*: mean probability, in %, of agents that did not rank first.

${table(['world', 'half', 'ours', 'tuned', 'ours / tuned', 'ours / uniform', 'explored'], worlds)}

## Versions

Decided after every outcome, with 300 outcomes of the current version before. Equal ones are watched for 200 outcomes of the new version, worse ones for 150.

${table(['mode', 'current', 'new', 'promoted, %', 'rolled back, %', 'mean outcomes'], tried)}

## Other

Off-policy intervals: ${estimates.length} estimates of three policies each, mean width ${mean(estimates.map(({ width }) => width)).toFixed(2)}, mean error of the doubly robust estimate ${mean(estimates.map(({ error }) => error)).toFixed(3)}.
Choosing among ten: ${times.memory.median.toFixed(0)} µs (99th percentile ${times.memory.p99.toFixed(0)}) in memory, ${times.sqlite.median.toFixed(0)} µs (${times.sqlite.p99.toFixed(0)}) with SQLite.
`;
}
