import { describe, expect, it } from 'vitest';
import { orAborted } from './or-aborted.ts';

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
