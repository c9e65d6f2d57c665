import { describe, expect, it } from 'vitest';
import { Semaphore, SemaphoreFullError } from './semaphore.ts';

const never = new AbortController().signal;

/** Work that ends when the test says so. */
function aTask(): { work: () => Promise<void>; finish: () => void; hasStarted: () => boolean } {
  const done = Promise.withResolvers<void>();
  let started = false;
  return {
    work: () => {
      started = true;
      return done.promise;
    },
    finish: () => done.resolve(),
    hasStarted: () => started,
  };
}

/** Lets everything that can run without outside help run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a semaphore', () => {
  it('never lets more run than allowed, and everybody comes through', async () => {
    const semaphore = new Semaphore({ maxConcurrent: 3, maxWaiting: 1000 });
    let running = 0;
    let most = 0;
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        semaphore.pass(async () => {
          running += 1;
          most = Math.max(most, running);
          await settle();
          running -= 1;
          return index;
        }, never),
      ),
    );
    expect(most).toBe(3);
    expect(results).toEqual(Array.from({ length: 200 }, (_, index) => index));
  });

  it('serves in the order of arrival', async () => {
    const semaphore = new Semaphore({ maxConcurrent: 1, maxWaiting: 10 });
    const order: number[] = [];
    await Promise.all(
      [0, 1, 2, 3].map((number) =>
        semaphore.pass(async () => {
          order.push(number);
          await settle();
        }, never),
      ),
    );
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it('refuses whom it has no room to let wait', async () => {
    const semaphore = new Semaphore({ maxConcurrent: 1, maxWaiting: 1 });
    const first = aTask();
    const second = aTask();
    const passes = [semaphore.pass(first.work, never), semaphore.pass(second.work, never)];
    await settle();
    const refusal = semaphore.pass(async () => {}, never);
    await expect(refusal).rejects.toBeInstanceOf(SemaphoreFullError);
    await expect(refusal).rejects.toMatchObject({ code: 'kernel.too_busy', retryable: true });
    first.finish();
    second.finish();
    await Promise.all(passes);
  });

  it('frees the place of work that failed', async () => {
    const semaphore = new Semaphore({ maxConcurrent: 1, maxWaiting: 0 });
    await expect(semaphore.pass(() => Promise.reject(new Error('broken')), never)).rejects.toThrow(
      'broken',
    );
    expect(await semaphore.pass(async () => 'fine', never)).toBe('fine');
  });

  it('lets who is cancelled leave the queue without running', async () => {
    const semaphore = new Semaphore({ maxConcurrent: 1, maxWaiting: 2 });
    const first = aTask();
    const cancelled = aTask();
    const last = aTask();
    const cancel = new AbortController();
    const running = semaphore.pass(first.work, never);
    const waiting = semaphore.pass(cancelled.work, cancel.signal);
    const behind = semaphore.pass(last.work, never);
    cancel.abort(new Error('changed my mind'));
    await expect(waiting).rejects.toThrow('changed my mind');
    first.finish();
    await running;
    await settle();
    expect(cancelled.hasStarted()).toBe(false);
    expect(last.hasStarted()).toBe(true);
    last.finish();
    await behind;
  });

  it('does not start work whose signal is aborted already', async () => {
    const semaphore = new Semaphore({ maxConcurrent: 1, maxWaiting: 0 });
    const task = aTask();
    await expect(semaphore.pass(task.work, AbortSignal.abort(new Error('gone')))).rejects.toThrow(
      'gone',
    );
    expect(task.hasStarted()).toBe(false);
    expect(await semaphore.pass(async () => 'free', never)).toBe('free');
  });
});
