import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { localCaller } from '../../src/contract/caller/index.ts';
import { silentLog, systemClock } from '../../src/kernel/index.ts';
import { createMemorySearch } from '../../src/memory/index.ts';
import type { Embedder } from '../../src/models/index.ts';
import { traceLimits } from '../../src/observe/index.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { aMemoryItem } from '../../testkit/memory/a-memory-item.ts';
import { generateConversations, type Conversation } from './generate.ts';

const itemCount = 100_000;
const indexedAtOnce = 1_000;
const queryCount = 200;
const addCount = 60;
const hitsWanted = 10;
const megabyte = 1_048_576;
/** Conversations of these seeds are written until there are enough items. */
const firstSeed = 100;
const goals = { p95Ms: 40, extraMegabytes: 120, addRatio: 3 };
const { signal } = new AbortController();

interface ScaleBench {
  /** Embeds every text it is given. */
  readonly embedder: Embedder;
  readonly home: string;
}

/** How long searches and additions take with many items, and how much memory a search keeps. */
export async function measureScale({ embedder, home }: ScaleBench): Promise<boolean> {
  const path = join(home, 'scale');
  const filled = openStore({ home: path, traceLimits });
  const startedAt = performance.now();
  const questions = await fill(filled);
  filled.close();
  const filledMs = performance.now() - startedAt;
  console.log(`\nscale: ${itemCount} items stored in ${(filledMs / 1_000).toFixed(0)} s`);
  const store = openStore({ home: path, traceLimits });
  try {
    await embedder.embed(['warm up'], signal);
    const search = searchOf(store, embedder);
    const cold = await timed(() => search(questions[0] ?? ''));
    console.log(`first search, which loads the vectors: ${cold.toFixed(0)} ms`);
    for (const question of questions.slice(0, 20)) await search(question);
    const extra = Number(
      execFileSync(process.execPath, ['--expose-gc', import.meta.filename, path], {
        encoding: 'utf8',
      }),
    );
    const walls: number[] = [];
    const works: number[] = [];
    const embeddings: number[] = [];
    for (const question of questions) {
      embeddings.push(await worked(() => embedder.embed([question], signal)));
      let wall = 0;
      works.push(
        await worked(async () => {
          wall = await timed(() => search(question));
        }),
      );
      walls.push(wall);
    }
    const [load = 0] = loadavg();
    console.log(
      `time on the clock, with ${load.toFixed(1)} processes that want a core: ${spread(walls)}`,
    );
    console.log(`processor time of all threads: ${spread(works)}`);
    console.log(`of it the vector of the question: ${spread(embeddings)}`);
    const ratio = await addRatio(store, embedder);
    return [
      check('search p95, ms of processor time', at(works, 0.95), goals.p95Ms),
      check('extra memory, MB', extra, goals.extraMegabytes),
      check('adding an item × embedding its text', ratio, goals.addRatio),
    ].every(Boolean);
  } finally {
    store.close();
  }
}

function searchOf(store: Store, embedder: Embedder) {
  const search = createMemorySearch({
    store: store.memoryItems,
    embed: embedder.embed.bind(embedder),
    clock: systemClock,
    log: silentLog,
  });
  return (text: string) => search({ caller: localCaller, text, limit: hitsWanted, signal });
}

/** Texts of generated conversations with vectors that point anywhere: what they are does not change the time. */
async function fill(store: Store): Promise<string[]> {
  const questions: string[] = [];
  let count = 0;
  for (let seed = firstSeed; count < itemCount; seed += 1) {
    for (const conversation of generateConversations('tuning', seed)) {
      if (count >= itemCount) break;
      const id = `${conversation.id}-${seed}`;
      await addSession(store, id, conversation);
      while ((await store.memoryItems.indexTurns(indexedAtOnce)) > 0);
      const before = count;
      const vectors = conversation.turns.map(({ number }) => {
        return { id: `${id}-${number}`, vector: vectorOf(before + number) };
      });
      await store.memoryItems.addVectors(vectors);
      count += vectors.length;
      questions.push(...conversation.questions.slice(0, 4).map(({ text }) => text));
    }
  }
  const { vectors } = await store.memoryItems.counts();
  if (vectors < itemCount) throw new Error(`only ${vectors} vectors were stored`);
  return questions.slice(0, queryCount);
}

async function addSession(store: Store, id: string, { turns }: Conversation): Promise<void> {
  const at = turns[0]?.at ?? '';
  const said = turns.map(({ number, at: when, text }) => {
    return { number, at: when, role: 'user' as const, text, remembered: [] };
  });
  const times = { createdAt: at, updatedAt: at };
  const rest = { forkedFrom: null, summary: null, turns: said };
  const session = { version: 1 as const, id, title: id, ...times, ...rest };
  await store.sessions.add(localCaller, session, { maxSessions: 10_000 });
}

function vectorOf(seed: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length: 384 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

/** Median over pairs, each taken within the same moment: the machine may be shared. */
async function addRatio(store: Store, embedder: Embedder): Promise<number> {
  const ratios: number[] = [];
  for (let n = 0; n < addCount; n += 1) {
    const text = `On day ${n} we agreed to move the weekly review of the garden project to the afternoon.`;
    const item = aMemoryItem({ id: `added-${n}`, text });
    const bare = await timed(() => embedder.embed([text], signal));
    const added = await timed(async () => {
      const [vector] = await embedder.embed([text], signal);
      await store.memoryItems.add(localCaller, [{ item, vector }]);
    });
    ratios.push(added / bare);
  }
  return at(ratios, 0.5);
}

/** Milliseconds that all threads of the process worked: other processes hardly change it. */
async function worked(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function spread(values: readonly number[]): string {
  return `p50 ${at(values, 0.5)} ms, p95 ${at(values, 0.95)} ms`;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Megabytes that searches keep, in a process that does nothing else. */
async function measureMemory(path: string): Promise<number> {
  const store = openStore({ home: path, traceLimits });
  const search = createMemorySearch({
    store: store.memoryItems,
    embed: async () => [vectorOf(1)],
    clock: systemClock,
    log: silentLog,
  });
  await store.memoryItems.count(localCaller);
  const before = usedMemory();
  for (let n = 0; n < 20; n += 1) {
    await search({
      caller: localCaller,
      text: `Where was I on day ${n}?`,
      limit: hitsWanted,
      signal,
    });
  }
  return (usedMemory() - before) / megabyte;
}

function usedMemory(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return Number((found ?? Number.NaN).toFixed(2));
}

function check(what: string, value: number, goal: number): boolean {
  console.log(`${value <= goal ? 'ok  ' : 'MISS'} ${what}: ${value.toFixed(1)} (goal ${goal})`);
  return value <= goal;
}

if (import.meta.main) console.log(await measureMemory(process.argv[2] ?? ''));
