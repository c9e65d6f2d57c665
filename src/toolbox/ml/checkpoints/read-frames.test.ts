import { describe, expect, it } from 'vitest';
import { FrameReader } from './index.ts';

function aReader(): { reader: FrameReader; seen: unknown[] } {
  const seen: unknown[] = [];
  const reader = new FrameReader({
    event: async (event) => void seen.push(event),
    file: async (name, bytes) => void seen.push({ name, bytes }),
    piece: async (bytes) => void seen.push(Buffer.from(bytes).toString()),
    fileEnded: async () => void seen.push('ended'),
    broken: (reason) => void seen.push({ reason }),
  });
  return { reader, seen };
}

const file = (bytes: unknown): string =>
  `${JSON.stringify({ event: 'file', name: 'a', bytes, sha256: '0' })}\n`;

describe('frames of a trainer', () => {
  it.each([1, 2, 7, 1000])('are read the same in pieces of %i bytes', async (size) => {
    const { reader, seen } = aReader();
    const whole = Buffer.from(`{"event":"x"}\n${file(3)}{\n}{"event":"y"}\n${file(0)}`);
    for (let at = 0; at < whole.length; at += size) reader.push(whole.subarray(at, at + size));
    await reader.finished();
    const text = seen.filter((one) => typeof one === 'string').join('');
    expect(text).toBe('{\n}endedended');
    expect(seen.filter((one) => typeof one !== 'string')).toEqual([
      { event: 'x' },
      { name: 'a', bytes: 3 },
      { event: 'y' },
      { name: 'a', bytes: 0 },
    ]);
  });

  it.each([
    ['text that is not JSON', 'Traceback\n{"event":"x"}\n', /not JSON/],
    ['a file without a size', file(null), /no name, size or digest/],
    ['a file of a negative size', file(-1), /no size/],
    ['a line without an end', 'x'.repeat(5 * 1024 * 1024), /too long/],
  ])('end at %s', async (_what, text, reason) => {
    const { reader, seen } = aReader();
    reader.push(Buffer.from(text));
    await reader.finished();
    expect(seen).toEqual([{ reason: expect.stringMatching(reason) }]);
  });

  it('report what could not be kept', async () => {
    const fail = async (): Promise<void> => Promise.reject(new Error('disk full'));
    const seen: string[] = [];
    const reader = new FrameReader({
      event: fail,
      file: fail,
      piece: fail,
      fileEnded: fail,
      broken: (reason) => void seen.push(reason),
    });
    reader.push(Buffer.from('{"event":"x"}\n'));
    await expect(reader.finished()).rejects.toThrow('disk full');
    expect(seen).toEqual(['its output could not be kept']);
  });
});
