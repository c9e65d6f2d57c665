import { describe, expect, it } from 'vitest';
import type { OutputPiece } from '../contract/sandbox/index.ts';
import { Output } from './output.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('the output of a program', () => {
  it('is kept by stream and told piece by piece, counted over both streams', () => {
    const told: OutputPiece[] = [];
    const output = new Output({
      maxBytes: 100,
      onOutput: (piece) => told.push(piece),
      onFull: () => {},
    });
    output.add('stdout', bytes('a'));
    output.add('stderr', bytes('!'));
    output.add('stdout', bytes(''));
    output.add('stdout', bytes('b'));
    expect(told).toEqual([
      { stream: 'stdout', sequence: 0, bytes: bytes('a') },
      { stream: 'stderr', sequence: 1, bytes: bytes('!') },
      { stream: 'stdout', sequence: 2, bytes: bytes('b') },
    ]);
    expect(Buffer.from(output.read('stdout')).toString()).toBe('ab');
    expect(Buffer.from(output.read('stderr')).toString()).toBe('!');
    expect(output.isTruncated).toBe(false);
  });

  it('is cut at its limit, which is told once, and nothing after it is kept or told', () => {
    const told: OutputPiece[] = [];
    let fulls = 0;
    const output = new Output({
      maxBytes: 5,
      onOutput: (piece) => told.push(piece),
      onFull: () => {
        fulls += 1;
      },
    });
    output.add('stdout', bytes('1234'));
    output.add('stderr', bytes('5678'));
    output.add('stdout', bytes('9'));
    expect(Buffer.from(output.read('stdout')).toString()).toBe('1234');
    expect(Buffer.from(output.read('stderr')).toString()).toBe('5');
    expect([output.isTruncated, fulls, told.length]).toEqual([true, 1, 2]);
  });

  it('may be just as long as its limit', () => {
    let isFull = false;
    const output = new Output({ maxBytes: 3, onFull: () => (isFull = true) });
    output.add('stdout', bytes('123'));
    expect([output.isTruncated, isFull]).toEqual([false, false]);
    output.add('stdout', bytes('4'));
    expect([output.isTruncated, isFull]).toEqual([true, true]);
  });

  it('may not be at all', () => {
    let isFull = false;
    const output = new Output({ maxBytes: 0, onFull: () => (isFull = true) });
    output.add('stdout', bytes('x'));
    expect([output.read('stdout').length, isFull]).toEqual([0, true]);
  });
});
