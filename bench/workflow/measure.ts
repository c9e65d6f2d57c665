/**
 * Measures one contender in one scenario, in a process of its own:
 * `node bench/workflow/measure.ts CONTENDER SCENARIO normal|full`; prints one JSON line. As the child of a
 * process that sends messages (`beside.ts`) it takes a turn for each, and answers with the seconds a round took.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contender, Durability } from './contender.ts';
import { scenarios, sizes, StepCounter, type Scenario } from './scenarios.ts';

/** Peers are loaded by path: their packages are there only after `make bench-workflow` installed them. */
const peers = ['langgraph', 'bullmq-10', 'bullmq-100', 'dbos', 'restate'];

async function loadContender(name: string): Promise<Contender | undefined> {
  if (name === 'floor') return (await import('./contenders/floor.ts')).floor;
  if (name === 'tutti') return (await import('./contenders/tutti.ts')).tutti;
  if (!peers.includes(name)) return undefined;
  const loaded: { contender: Contender } = await import(`${import.meta.dirname}/peers/${name}.ts`);
  return loaded.contender;
}

export interface Measured {
  readonly contender: string;
  readonly scenario: string;
  readonly durability: Durability;
  readonly stepsPerSecond: number;
  readonly p50Us: number;
  readonly memoryMb: number;
}

/** A slow contender is measured at least once, a quick one until this much time was spent. */
const measureSeconds = 2;
/** All of them are warm when they are measured: a program that runs for hours is compared, not how it starts. */
const warmUpSeconds = 2;
const maxRounds = 200;
/** What a turn beside others takes at least, for the quick and the slow alike. */
const turnSeconds = 0.25;

interface Warm {
  readonly counter: StepCounter;
  readonly pids: readonly number[];
  /** Does the scenario once and gives the seconds that took. */
  round(): Promise<number>;
  close(): Promise<void>;
}

async function warmUp(
  contender: Contender,
  scenario: Scenario,
  durability: Durability,
): Promise<Warm> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-workflow-'));
  const counter = new StepCounter();
  const opened = await contender.open({ durability, folder, counter });
  const warmAt = performance.now() + warmUpSeconds * 1_000;
  do await opened.run(scenario);
  while (performance.now() < warmAt);
  return {
    counter,
    pids: opened.pids,
    round: async () => {
      counter.reset();
      const startedAt = performance.now();
      await opened.run(scenario);
      const took = (performance.now() - startedAt) / 1_000;
      if (counter.count === scenario.steps) return took;
      throw new Error(`${contender.name} did ${counter.count} of ${scenario.steps} steps`);
    },
    close: async () => {
      await opened.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function measure(
  contender: Contender,
  scenario: Scenario,
  durability: Durability,
): Promise<Measured> {
  const warm = await warmUp(contender, scenario, durability);
  try {
    const seconds: number[] = [];
    let spent = 0;
    let p50Us = 0;
    while (spent < measureSeconds && seconds.length < maxRounds) {
      const took = await warm.round();
      p50Us = warm.counter.p50Us();
      seconds.push(took);
      spent += took;
    }
    seconds.sort((a, b) => a - b);
    const median = seconds[Math.floor(seconds.length / 2)] ?? Number.NaN;
    const memoryMb = [process.pid, ...warm.pids.flatMap(withChildren)]
      .map(residentMb)
      .reduce((sum, each) => sum + each, 0);
    return {
      contender: contender.name,
      scenario: scenario.name,
      durability,
      stepsPerSecond: scenario.steps / median,
      p50Us,
      memoryMb,
    };
  } finally {
    await warm.close();
  }
}

/** As many rounds as fit; gives their mean. One of ours is over before it is warm again after a turn of others. */
async function takeTurn(warm: Warm): Promise<number> {
  let [rounds, spent] = [0, 0];
  do {
    spent += await warm.round();
    rounds += 1;
  } while (spent < turnSeconds);
  return spent / rounds;
}

/** Takes a turn whenever the parent asks for one, until the parent lets go. */
async function measureWhenAsked(
  contender: Contender,
  scenario: Scenario,
  durability: Durability,
): Promise<void> {
  const warm = await warmUp(contender, scenario, durability);
  // Nobody is left who would ask, if another ended meanwhile.
  if (!process.connected) return warm.close();
  process.on('message', () => void takeTurn(warm).then((seconds) => process.send?.(seconds)));
  process.send?.('warm');
  await once(process, 'disconnect');
  await warm.close();
}

function withChildren(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number);
  return [pid, ...children.flatMap(withChildren)];
}

/** Shared pages are counted by their share, or PostgreSQL's would count for each of its processes. */
function residentMb(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1_024;
}

const [contenderName = '', scenarioName, durability = 'normal'] = process.argv.slice(2);
const contender = await loadContender(contenderName);
const scenario = [...scenarios, ...sizes].find(({ name }) => name === scenarioName);
if (contender === undefined || scenario === undefined || !/^(normal|full)$/.test(durability)) {
  throw new Error(`usage: measure.ts floor|tutti|${peers.join('|')} SCENARIO normal|full`);
}
if (process.send) {
  await measureWhenAsked(contender, scenario, durability as Durability);
} else {
  const measured = await measure(contender, scenario, durability as Durability);
  process.stdout.write(`${JSON.stringify(measured)}\n`);
}
process.exit(0);
