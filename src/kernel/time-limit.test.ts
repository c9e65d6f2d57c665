import { expect, it } from 'vitest';
import { TimeLimitError, withTimeLimit } from './time-limit.ts';

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
