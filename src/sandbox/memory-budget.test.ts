import { describe, expect, it } from 'vitest';
import { settle } from '../fleet/testing/manual-timers.ts';
import { MemoryBudget } from './memory-budget.ts';

const { signal } = new AbortController();

describe('memory for programs that run at once', () => {
  it('is never given away twice, and who waits longest is served first', async () => {
    const budget = new MemoryBudget(100);
    const order: string[] = [];
    const take = async (name: string, bytes: number): Promise<() => void> => {
      const giveBack = await budget.take(bytes, signal);
      order.push(name);
      return giveBack;
    };
    const first = await take('first', 60);
    const second = take('second', 80);
    const third = take('third', 10);
    await settle();
    expect(order).toEqual(['first']);
    first();
    await Promise.all([second, third]);
    expect(order).toEqual(['first', 'second', 'third']);
  });

  it('is not held up by who gave up waiting', async () => {
    const budget = new MemoryBudget(100);
    await budget.take(60, signal);
    const cancel = new AbortController();
    const large = budget.take(90, cancel.signal);
    const small = budget.take(40, signal);
    cancel.abort(new Error('gave up'));
    await expect(large).rejects.toThrow('gave up');
    await small;
    await expect(budget.take(1, AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  });

  it('is given as a whole to who wants more than there is', async () => {
    expect(await new MemoryBudget(100).take(500, signal)).toBeTypeOf('function');
  });
});
