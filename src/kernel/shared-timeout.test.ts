import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SharedTimeout } from './shared-timeout.ts';

describe('waits that share a timer', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  function aRecorder(): { ended: string[]; note: (name: string) => () => void } {
    const ended: string[] = [];
    return { ended, note: (name) => () => void ended.push(name) };
  }

  it('end each in its own time, in order, and once', () => {
    const { ended, note } = aRecorder();
    const timeout = new SharedTimeout(100);
    timeout.start(note('a'));
    vi.advanceTimersByTime(60);
    timeout.start(note('b'));
    vi.advanceTimersByTime(38);
    expect(ended).toEqual([]);
    vi.advanceTimersByTime(2);
    expect(ended).toEqual(['a']);
    vi.advanceTimersByTime(58);
    expect(ended).toEqual(['a']);
    vi.advanceTimersByTime(1_000);
    expect(ended).toEqual(['a', 'b']);
  });

  it('do not end when they were stopped, wherever they stood', () => {
    const { ended, note } = aRecorder();
    const timeout = new SharedTimeout(100);
    const waits = ['a', 'b', 'c', 'd', 'e'].map((name) => timeout.start(note(name)));
    for (const at of [0, 2, 4, 2]) timeout.stop(waits[at]!);
    vi.advanceTimersByTime(100);
    expect(ended).toEqual(['b', 'd']);
    timeout.stop(waits[1]!);
    timeout.start(note('f'));
    vi.advanceTimersByTime(100);
    expect(ended).toEqual(['b', 'd', 'f']);
  });

  it('last their whole time though the timer of an earlier one still runs', () => {
    const { ended, note } = aRecorder();
    const timeout = new SharedTimeout(100);
    timeout.stop(timeout.start(note('a')));
    vi.advanceTimersByTime(90);
    timeout.start(note('b'));
    vi.advanceTimersByTime(90);
    expect(ended).toEqual([]);
    vi.advanceTimersByTime(10);
    expect(ended).toEqual(['b']);
  });

  it('may begin while another ends', () => {
    const { ended, note } = aRecorder();
    const timeout = new SharedTimeout(100);
    timeout.start(() => timeout.start(note('second')));
    timeout.start(note('first'));
    vi.advanceTimersByTime(150);
    expect(ended).toEqual(['first']);
    vi.advanceTimersByTime(50);
    expect(ended).toEqual(['first', 'second']);
  });

  it('end in the asynchronous context in which they began', () => {
    const storage = new AsyncLocalStorage<string>();
    const timeout = new SharedTimeout(100);
    const seen: unknown[] = [];
    for (const name of ['a', 'b']) {
      storage.run(name, () => timeout.start(() => void seen.push(storage.getStore())));
    }
    vi.advanceTimersByTime(100);
    expect(seen).toEqual(['a', 'b']);
    expect(storage.getStore()).toBe(undefined);
  });

  it('leave one timer behind at most, whatever came and went', () => {
    const timeout = new SharedTimeout(100);
    for (let n = 0; n < 1_000; n += 1) timeout.stop(timeout.start(() => {}));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(100);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('hold on to no other once they are over', () => {
    const timeout = new SharedTimeout(100);
    const waits = ['before', 'slow', 'after'].map(() => timeout.start(() => {}));
    const slow = waits[1];
    if (slow) timeout.stop(slow);
    expect([slow?.earlier, slow?.later]).toEqual([undefined, undefined]);
    expect(waits[0]?.later).toBe(waits[2]);
  });
});
