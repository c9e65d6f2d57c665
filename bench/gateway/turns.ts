/** Measures contenders that run side by side, in short turns, so that what the machine does meets all of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Contender, Running, Upstream } from './contenders.ts';
import { findTool, load, type LoadResult } from './load.ts';

/** What one contender is asked to do. */
export interface Cell {
  readonly tool: 'small' | 'large';
  readonly concurrency: number;
}

/** One contender's part of one turn of a cell. */
export interface Turn extends LoadResult, Cell {
  readonly contender: string;
  readonly face: Contender['face'];
  readonly upstream: Upstream['kind'];
  /** The same for those measured one right after the other. */
  readonly turn: string;
  readonly cpuUs: number;
}

export interface Plan {
  readonly upstream: Upstream;
  readonly cells: readonly Cell[];
  readonly turns: number;
  /** For each tool, and each number of calls at once. */
  readonly warmUpSeconds: number;
  /** Told apart in the names of turns. */
  readonly round: number;
  readonly onFailed: (contender: Contender, error: unknown) => void;
}

/**
 * Long enough for several flushes of spans, of which there is one each 200 ms: what a turn leaves to be
 * written after it is then as much as it found.
 */
const turnSeconds = 0.6;
const settleSeconds = 0.1;
/** For what has to end by itself: a contender that answers no more must not stop the others. */
const graceMs = 20_000;

interface Started {
  readonly contender: Contender;
  readonly running: Running;
  /** The tools' names with this contender. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Starts all, warms each up, and measures each cell in turns; every other turn goes backwards, so that
 * neighbours stay neighbours and nobody always comes first. Who fails is reported and left out from then on.
 */
export async function measureSideBySide(
  contenders: readonly Contender[],
  plan: Plan,
): Promise<Turn[]> {
  let left: readonly Started[] = [];
  const measured: Turn[] = [];
  try {
    for (const contender of contenders) {
      try {
        const running = await contender.start(plan.upstream);
        left = [...left, { contender, running, names: new Map() }];
      } catch (error) {
        plan.onFailed(contender, error);
      }
    }
    const leaveOut = async (one: Started, error: unknown): Promise<void> => {
      plan.onFailed(one.contender, error);
      left = left.filter((it) => it.contender !== one.contender);
      await one.running.close();
    };
    for (const one of left) {
      try {
        const warm = await warmUp(one, plan);
        left = left.map((it) => (it.contender === one.contender ? warm : it));
      } catch (error) {
        await leaveOut(one, error);
      }
    }
    for (const cell of plan.cells) {
      for (let turn = 0; turn < plan.turns; turn += 1) {
        for (const one of turn % 2 === 0 ? left : left.toReversed()) {
          try {
            const result = await measure(one, cell);
            const { name, face } = one.contender;
            measured.push({
              contender: name,
              face,
              upstream: plan.upstream.kind,
              ...cell,
              turn: `${plan.round}.${turn}`,
              ...result,
            });
          } catch (error) {
            await leaveOut(one, error);
          }
        }
      }
    }
  } finally {
    for (const { running } of left) await running.close();
  }
  return measured;
}

/**
 * A proxy runs for days: what V8 spends on compiling its first thousands of calls is not their cost. One call at
 * a time goes other ways than many, which are compiled for themselves.
 */
async function warmUp(one: Started, { warmUpSeconds, cells }: Plan): Promise<Started> {
  const seconds = warmUpSeconds;
  const concurrencies = new Set(cells.map(({ concurrency }) => concurrency));
  const names = new Map<string, string>();
  const { post } = one.running;
  for (const tool of ['small', 'large']) {
    const name = await within(graceMs, findTool(post, tool));
    names.set(tool, name);
    for (const concurrency of concurrencies) {
      await within(seconds * 1_000 + graceMs, load(post, { tool: name, seconds, concurrency }));
    }
  }
  return { ...one, names };
}

async function measure(
  { running, names }: Started,
  { tool, concurrency }: Cell,
): Promise<LoadResult & { cpuUs: number }> {
  const name = names.get(tool) ?? tool;
  const calls = (seconds: number): Promise<LoadResult> =>
    within(seconds * 1_000 + graceMs, load(running.post, { tool: name, seconds, concurrency }));
  await calls(settleSeconds);
  const before = cpuUs(running.pid);
  const result = await calls(turnSeconds);
  return { ...result, cpuUs: (cpuUs(running.pid) - before) / result.calls };
}

async function within<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
  const ending = new AbortController();
  const late = pause(limitMs, undefined, { signal: ending.signal }).then(() => {
    throw new Error(`It did not answer within ${limitMs} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    // The loser's rejection has been taken by the race.
    ending.abort();
  }
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
