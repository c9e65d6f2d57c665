import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../../src/contract/sandbox/index.ts';
import { defaultLimits } from '../../src/sandbox/limits.ts';
import type { Comparison, Work } from '../measure.ts';
import { commandOf } from './contenders.ts';
import { assertTrivial, firstOutputOf, trivial, type Language } from './first-output.ts';
import type { Ground } from './ground.ts';

const atOnce = 4;
/** Of the raw spawn's time: 0.45 of its runs a second. */
const limit = 2.22;
const turns = 5;

/** Trivial programs one after the other, four at a time, for some seconds each, in turns. */
export async function measureSustained(
  ground: Ground,
  language: Language,
  seconds: number,
): Promise<Comparison[]> {
  const command = commandOf(ground, language);
  const raw = async (): Promise<void> => void (await firstOutputOf(command));
  const ours = (): Promise<void> => runTrivial(ground, language);
  const stock = (): number => stockOf(ground.sandbox);
  // The pool learns how many sandboxes to have ready.
  await msPerRun(ours, 1);
  const measured: [number, number][] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const before = await settled(stock);
    const until = (): Promise<void> => reached(stock, before);
    const oursMs = await msPerRun(ours, seconds / turns, until);
    // What the pool starts in advance must not slow the others down.
    await settled(stock);
    measured.push([oursMs, await msPerRun(raw, seconds / turns)]);
  }
  measured.sort(([a, b], [c, d]) => a / b - c / d);
  const [oursMs, base] = measured[Math.floor(turns / 2)] ?? [Number.NaN, Number.NaN];
  const name = `${language}, ${atOnce} at a time, for a while`;
  return [{ name, floor: 'raw spawn', limit, unit: 'ms a run', ours: oursMs, base }];
}

async function runTrivial({ sandbox }: Ground, language: Language): Promise<void> {
  const { file, text } = trivial[language];
  assertTrivial(
    await sandbox.run({
      toolchain: language,
      program: { kind: language, main: file, args: [] },
      files: { [file]: text },
      env: {},
      stdin: '',
      limits: defaultLimits,
      mounts: [],
      collect: null,
    }),
  );
}

/** With `restock` the time ends when as many sandboxes are ready as before: they are part of the work. */
async function msPerRun(work: Work, seconds: number, restock: Work = () => {}): Promise<number> {
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  let runs = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      await work();
      runs += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  await restock();
  return (performance.now() - startedAt) / runs;
}

function stockOf(sandbox: Sandbox): number {
  return Object.values(sandbox.pool().idle).reduce((sum, count) => sum + count, 0);
}

const lookEveryMs = 10;
const maxLooks = 1_000;
const quietLooks = 30;

async function reached(stock: () => number, wanted: number): Promise<void> {
  for (let looks = 0; stock() < wanted && looks < maxLooks; looks += 1) await sleep(lookEveryMs);
}

/** The number of sandboxes that are ready, once it does not change any more. */
async function settled(stock: () => number): Promise<number> {
  let last = stock();
  for (let looks = 0, quiet = 0; quiet < quietLooks && looks < maxLooks; looks += 1) {
    await sleep(lookEveryMs);
    quiet = stock() === last ? quiet + 1 : 0;
    last = stock();
  }
  return last;
}
