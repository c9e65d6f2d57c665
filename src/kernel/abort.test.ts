import { describe, expect, it } from 'vitest';
import { LazyAbort, orAborted, SignalAbort, TimeLimitError, withTimeLimit } from './abort.ts';

describe('work that a caller may leave', () => {
  it('gives what it comes to', async () => {
    const { signal } = new AbortController();
    expect(await orAborted(Promise.resolve(7), signal)).toBe(7);
    await expect(orAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
  });

  it('is not waited for any more when the signal aborts, or has aborted before', async () => {
    const never = new Promise<never>(() => undefined);
    const leaving = new AbortController();
    const waiting = orAborted(never, leaving.signal);
    leaving.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(orAborted(never, leaving.signal)).rejects.toThrow('enough');
  });
});

const never = new AbortController().signal;
const hourMs = 3_600_000;

it('returns what the work returns in time', async () => {
  const limit = { what: 'The work', limitMs: hourMs, signal: never };
  expect(await withTimeLimit(limit, async () => 42)).toBe(42);
});

it('passes on how the work failed', async () => {
  const limit = { what: 'The work', limitMs: hourMs, signal: never };
  await expect(withTimeLimit(limit, () => Promise.reject(new Error('broken')))).rejects.toThrow(
    'broken',
  );
});

it('ends work that takes too long, tells it so, and names it', async () => {
  let reason: unknown;
  const attempt = withTimeLimit({ what: 'Tool "slow"', limitMs: 5, signal: never }, (signal) => {
    signal.addEventListener('abort', () => (reason = signal.reason));
    return new Promise(() => {});
  });
  await expect(attempt).rejects.toThrow('Tool "slow" did not finish within 5 ms');
  expect(reason).toBeInstanceOf(TimeLimitError);
  expect(reason).toMatchObject({
    code: 'kernel.time_limit',
    retryable: true,
    details: { limitMs: 5 },
  });
});

it('ends with the reason of the outer signal when that comes first', async () => {
  const outer = new AbortController();
  const attempt = withTimeLimit(
    { what: 'The work', limitMs: hourMs, signal: outer.signal },
    (signal) => {
      outer.abort(new Error('the user left'));
      expect(signal.aborted).toBe(true);
      return new Promise(() => {});
    },
  );
  await expect(attempt).rejects.toThrow('the user left');
});

it('does not begin work when the outer signal is aborted', async () => {
  let hasBegun = false;
  const limit = { what: 'The work', limitMs: hourMs, signal: AbortSignal.abort(new Error('gone')) };
  const attempt = withTimeLimit(limit, async () => {
    hasBegun = true;
  });
  await expect(attempt).rejects.toThrow('gone');
  expect(hasBegun).toBe(false);
});

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
