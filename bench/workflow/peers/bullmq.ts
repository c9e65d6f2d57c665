import { Queue, QueueEvents, Worker } from 'bullmq';
import type { Contender, Opened, OpenOptions } from '../contender.ts';
import type { Scenario } from '../scenarios.ts';
import { startRedis } from '../services.ts';

/**
 * BullMQ on Redis with an append-only file. Its flows are trees, so a graph is done layer by layer: the
 * last step of a layer puts in the next, in one request. How many jobs a worker takes at once matters: of 1, 10,
 * 50, 100, 300 and 1,000, 10 was quickest for wide work and 100 for the rest, so both are measured.
 */
export function bullmqWith(concurrency: number): Contender {
  const name = `BullMQ 6.7.0, Redis, ${concurrency} at once`;
  return { name, open: (options) => openWith(concurrency, options) };
}

async function openWith(
  concurrency: number,
  { durability, folder, counter }: OpenOptions,
): Promise<Opened> {
  const redis = await startRedis(folder, durability);
  const connection = { host: '127.0.0.1', port: redis.port };
  const queue = new Queue('bench', { connection });
  const events = new QueueEvents('bench', { connection });
  await events.waitUntilReady();
  const runs = new Map<string, RunState>();
  const worker = new Worker(
    'bench',
    async (job) => {
      const { run, n } = job.data as StepData;
      const value = counter.step(n);
      const state = runs.get(run);
      if (state === undefined) return value;
      state.left -= 1;
      if (state.left === 0) await nextLayer(queue, run, state);
      return value;
    },
    { connection, concurrency },
  );
  await worker.waitUntilReady();
  let count = 0;
  return {
    pids: [redis.pid],
    run: async (scenario) => {
      await Promise.all(
        Array.from({ length: scenario.runs }, async () => {
          const run = String((count += 1));
          await new Promise<void>((resolve, reject) => {
            const state = { scenario, layer: -1, left: 0, end: resolve };
            runs.set(run, state);
            nextLayer(queue, run, state).catch(reject);
          });
          runs.delete(run);
        }),
      );
    },
    close: async () => {
      await worker.close(true);
      await events.close();
      await queue.close();
      await redis.close();
    },
  };
}

interface StepData {
  readonly run: string;
  readonly n: number;
}

interface RunState {
  readonly scenario: Scenario;
  layer: number;
  left: number;
  readonly end: () => void;
}

async function nextLayer(queue: Queue, run: string, state: RunState): Promise<void> {
  state.layer += 1;
  const width = state.scenario.layers[state.layer];
  if (width === undefined) return state.end();
  state.left = width;
  const jobs = Array.from({ length: width }, (_, n) => ({ name: 'step', data: { run, n } }));
  if (width === 1) await queue.add('step', { run, n: state.layer });
  else await queue.addBulk(jobs);
}
