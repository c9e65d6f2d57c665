import { describe, expect, it } from 'vitest';
import { BatchQueue, type QueueOptions } from './batch-queue.ts';

function aQueue(options: Partial<QueueOptions<number>> = {}) {
  const batches: (readonly number[])[] = [];
  const dropped: [number, unknown][] = [];
  const queue = new BatchQueue<number>({
    maxQueued: 10,
    maxBatch: 3,
    flushIntervalMs: 60_000,
    write: async (batch) => void batches.push(batch),
    onDropped: (count, reason) => dropped.push([count, reason]),
    ...options,
  });
  return { queue, batches, dropped };
}

const lockedError = new Error('locked');

/** A queue whose target refuses everything until it is opened or was tried often enough. */
function aLockedQueue(options: Partial<QueueOptions<number>> = {}) {
  const target = { isLocked: true, attempts: 0, opensAfter: Number.POSITIVE_INFINITY };
  const batches: (readonly number[])[] = [];
  const { queue, dropped } = aQueue({
    write: async (batch) => {
      target.attempts += 1;
      if (target.isLocked && target.attempts <= target.opensAfter) throw lockedError;
      batches.push(batch);
    },
    retry: { isWorthwhile: (error) => error === lockedError, pauseMs: 1, maxCloseAttempts: 3 },
    ...options,
  });
  return { queue, batches, dropped, target };
}

function add(queue: BatchQueue<number>, ...items: readonly number[]): void {
  for (const item of items) queue.add(item);
}

describe('a batch queue', () => {
  it('writes in order and in batches when it is flushed', async () => {
    const { queue, batches } = aQueue();
    add(queue, 1, 2, 3, 4);
    await queue.flush();
    expect(batches).toEqual([[1, 2, 3], [4]]);
  });

  it('writes by itself after the interval', async () => {
    const written = Promise.withResolvers<readonly number[]>();
    const { queue } = aQueue({
      flushIntervalMs: 1,
      write: async (batch) => written.resolve(batch),
    });
    queue.add(1);
    // The queue's own timer keeps nobody waiting, so the test has to.
    const keptAlive = setInterval(() => {}, 1_000);
    expect(await written.promise).toEqual([1]);
    clearInterval(keptAlive);
  });

  it('writes without waiting for the interval when it is half full', async () => {
    const written = Promise.withResolvers<readonly number[]>();
    const { queue, dropped } = aQueue({ write: async (batch) => written.resolve(batch) });
    add(queue, 1, 2, 3, 4, 5);
    expect(await written.promise).toEqual([1, 2, 3]);
    await queue.flush();
    expect(dropped).toEqual([]);
  });

  it('writes a full batch at once, and leaves the beginning of the next to the interval', async () => {
    const { queue, batches } = aQueue({ maxQueued: 100 });
    add(queue, 1, 2, 3, 4);
    await new Promise((resolve) => setImmediate(resolve));
    expect(batches).toEqual([[1, 2, 3]]);
    await queue.flush();
    expect(batches).toEqual([[1, 2, 3], [4]]);
  });

  it('drops what does not fit and reports how much', async () => {
    const { queue, batches, dropped } = aQueue({ maxQueued: 2 });
    add(queue, 1, 2, 3, 4);
    await queue.flush();
    expect(batches).toEqual([[1, 2]]);
    expect(dropped).toEqual([[2, 'the queue was full or closed']]);
    await queue.flush();
    expect(dropped).toHaveLength(1);
  });

  it('reports a batch that could not be written and goes on with the next', async () => {
    const failure = new Error('disk full');
    const written: (readonly number[])[] = [];
    const { queue, dropped } = aQueue({
      write: async (batch) => {
        if (batch.includes(1)) throw failure;
        written.push(batch);
      },
    });
    add(queue, 1, 2, 3, 4);
    await queue.flush();
    expect(written).toEqual([[4]]);
    expect(dropped).toEqual([[3, failure]]);
  });

  it('keeps a batch whose failure is worth another attempt, in order and within its limit', async () => {
    const { queue, batches, dropped, target } = aLockedQueue({ maxQueued: 4 });
    add(queue, 1, 2, 3, 4, 5);
    await queue.flush();
    expect(batches).toEqual([]);
    expect(dropped).toEqual([[1, 'the queue was full or closed']]);
    queue.add(6);
    target.isLocked = false;
    await queue.flush();
    expect(batches).toEqual([[1, 2, 3], [4]]);
    expect(dropped.map(([count]) => count)).toEqual([1, 1]);
  });

  it('tries again by itself after a pause', async () => {
    const { queue, batches, target } = aLockedQueue();
    queue.add(1);
    await queue.flush();
    target.isLocked = false;
    await expect.poll(() => batches).toEqual([[1]]);
  });

  it('goes on trying for a while when it closes', async () => {
    const { queue, batches, dropped, target } = aLockedQueue();
    target.opensAfter = 2;
    add(queue, 1, 2, 3, 4);
    await queue.close();
    expect(batches).toEqual([[1, 2, 3], [4]]);
    expect(dropped).toEqual([]);
  });

  it('drops what it still could not write when it closes, and reports it once', async () => {
    const { queue, dropped, target } = aLockedQueue();
    add(queue, 1, 2);
    await queue.close();
    await queue.close();
    expect(target.attempts).toBe(3);
    expect(dropped).toEqual([[2, lockedError]]);
  });

  it('has one write under way at a time, and a flush waits for what came during it', async () => {
    const gate = Promise.withResolvers<void>();
    const batches: (readonly number[])[] = [];
    let running = 0;
    const { queue } = aQueue({
      write: async (batch) => {
        running += 1;
        expect(running).toBe(1);
        await gate.promise;
        batches.push(batch);
        running -= 1;
      },
    });
    add(queue, 1);
    const first = queue.flush();
    add(queue, 2);
    const second = queue.flush();
    gate.resolve();
    await Promise.all([first, second]);
    expect(batches.flat()).toEqual([1, 2]);
  });

  it('writes what is left when it closes, and takes nothing more', async () => {
    const { queue, batches, dropped } = aQueue();
    queue.add(1);
    await queue.close();
    queue.add(2);
    await queue.flush();
    expect(batches).toEqual([[1]]);
    expect(dropped).toEqual([[1, 'the queue was full or closed']]);
  });
});
