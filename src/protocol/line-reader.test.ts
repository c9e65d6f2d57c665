import { describe, expect, it } from 'vitest';
import { LineReader } from './line-reader.ts';

function readAll(chunks: readonly (string | Buffer)[], maxBytes = 100) {
  const lines: string[] = [];
  const long: string[] = [];
  const reader = new LineReader({
    maxBytes,
    keptBytes: 4,
    onLine: (bytes) => lines.push(bytes.toString()),
    onLongLine: ({ head, tail }) => long.push(`${head.toString()}…${tail.toString()}`),
  });
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return { reader, lines, long };
}

describe('a line reader', () => {
  it('gives the same lines however the bytes are cut into chunks', () => {
    const text = 'one\ntwo é漢\r\n\n\r\nthree\n';
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size += 1) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      expect(readAll(chunks).lines).toEqual(['one', 'two é漢', 'three']);
    }
  });

  it('gives an unfinished line at the end, and says that there was one', () => {
    const { reader, lines } = readAll(['a\nhal', 'f']);
    expect(lines).toEqual(['a']);
    expect(reader.end()).toBe(true);
    expect(lines).toEqual(['a', 'half']);
    expect(reader.end()).toBe(false);
  });

  it('keeps only the ends of a line over the limit, and reads on behind it', () => {
    const line = `head${'x'.repeat(1000)}tail`;
    for (const size of [1, 3, 50, 101, 2000]) {
      const bytes = Buffer.from(`${line}\nnext\n`);
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      const { lines, long } = readAll(chunks);
      expect(long).toEqual(['head…tail']);
      expect(lines).toEqual(['next']);
    }
  });

  it('takes a line of just the limit', () => {
    expect(readAll([`${'x'.repeat(100)}\n`]).lines).toHaveLength(1);
    expect(readAll(['x'.repeat(50), `${'x'.repeat(51)}\n`]).long).toHaveLength(1);
  });
});
