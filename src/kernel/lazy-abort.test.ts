import { describe, expect, it } from 'vitest';
import { LazyAbort, SignalAbort } from './lazy-abort.ts';

const reason = new Error('enough');

describe('a lazy abort', () => {
  it('aborts the signal that was looked at before, with its reason', () => {
    const abort = new LazyAbort();
    const { signal } = abort;
    expect([abort.isAborted, signal.aborted]).toEqual([false, false]);
    abort.abort(reason);
    expect([abort.isAborted, abort.reason, signal.reason]).toEqual([true, reason, reason]);
  });

  it('shows an aborted signal to who looks later', () => {
    const abort = new LazyAbort();
    abort.abort(reason);
    expect(abort.signal.reason).toBe(reason);
  });

  it('keeps its first reason', () => {
    const abort = new LazyAbort();
    abort.abort(reason);
    abort.abort(new Error('later'));
    expect(abort.reason).toBe(reason);
  });

  it.each([
    ['made lazily', () => new LazyAbort()],
    ['of a signal', anAbortOfASignal],
  ])('calls everyone who still watches, once (%s)', (_name, create) => {
    const abort = create();
    const calls: string[] = [];
    const leaving = ['b', 'd'].map((name) => () => void calls.push(name));
    abort.watch(() => calls.push('a'));
    for (const watcher of leaving) abort.watch(watcher);
    abort.watch(() => calls.push('c'));
    for (const watcher of leaving) abort.unwatch(watcher);
    abort.abort(reason);
    abort.abort(reason);
    abort.watch(() => calls.push('late'));
    expect(calls).toEqual(['a', 'c']);
    expect([abort.isAborted, abort.reason]).toEqual([true, reason]);
  });

  it('forgets its only watcher', () => {
    const abort = new LazyAbort();
    const watcher = (): void => expect.unreachable();
    abort.watch(watcher);
    abort.unwatch(watcher);
    abort.abort(reason);
    expect(abort.isAborted).toBe(true);
  });
});

function anAbortOfASignal(): SignalAbort & { abort: (reason: unknown) => void } {
  const controller = new AbortController();
  return Object.assign(new SignalAbort(controller.signal), {
    abort: (why: unknown) => controller.abort(why),
  });
}
