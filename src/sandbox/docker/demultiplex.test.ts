import { describe, expect, it } from 'vitest';
import { demultiplex } from './demultiplex.ts';

function frame(stream: number, text: string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

const frames = Buffer.concat([frame(1, 'one'), frame(2, 'two'), frame(1, ''), frame(1, 'three')]);

describe('the stream of a container', () => {
  it.each([1, 2, 3, 7, 8, 9, 1000])('is taken apart when it comes %i bytes at a time', (step) => {
    const seen = { stdout: '', stderr: '' };
    const take = demultiplex((stream, bytes) => {
      seen[stream] += Buffer.from(bytes).toString();
    });
    for (let at = 0; at < frames.length; at += step) take(frames.subarray(at, at + step));
    expect(seen).toEqual({ stdout: 'onethree', stderr: 'two' });
  });

  it('is passed on before a frame is complete', () => {
    const seen: string[] = [];
    const take = demultiplex((_stream, bytes) => seen.push(Buffer.from(bytes).toString()));
    take(frame(1, 'half of it').subarray(0, 12));
    expect(seen).toEqual(['half']);
  });
});
