import { expect, it } from 'vitest';
import type { ProgressUpdate } from '../../contract/server/index.ts';
import type { Timers } from '../../kernel/index.ts';
import { cutBefore, LiveOutput, outputMetaKey } from './live-output.ts';

/** Timers that fire when told. */
function manualTimers(): Timers & { fire(): void } {
  let waiting: (() => void)[] = [];
  return {
    now: () => 0,
    after: (_delayMs, run) => {
      waiting.push(run);
      return () => (waiting = waiting.filter((one) => one !== run));
    },
    fire: () => waiting.splice(0).forEach((run) => run()),
  };
}

function aLiveOutput() {
  const updates: ProgressUpdate[] = [];
  const timers = manualTimers();
  const live = new LiveOutput((update) => updates.push(update), timers);
  let sequence = 0;
  const push = (stream: 'stdout' | 'stderr', text: string | Uint8Array): void => {
    live.push({ stream, sequence: (sequence += 1), bytes: Buffer.from(text) });
  };
  const text = (): string => updates.map(({ message }) => message).join('');
  return { live, push, timers, updates, text };
}

it('gathers what comes close together, keeps the order of streams, and counts up', () => {
  const { live, push, timers, updates } = aLiveOutput();
  push('stdout', 'a');
  push('stdout', 'b');
  push('stderr', 'c');
  push('stdout', 'd');
  expect(updates).toEqual([]);
  timers.fire();
  push('stdout', 'e');
  live.end();
  expect(updates.map(({ message }) => message)).toEqual(['ab', 'c', 'd', 'e']);
  expect(updates.map(({ progress }) => progress)).toEqual([1, 2, 3, 4]);
  expect(updates.map(({ _meta }) => _meta?.[outputMetaKey])).toEqual([
    { stream: 'stdout', sequence: 0 },
    { stream: 'stderr', sequence: 1 },
    { stream: 'stdout', sequence: 2 },
    { stream: 'stdout', sequence: 3 },
  ]);
});

it('says nothing where there is no output', () => {
  const { live, updates } = aLiveOutput();
  live.end();
  expect(updates).toEqual([]);
});

it('puts characters together that came in pieces', () => {
  const { live, push, text } = aLiveOutput();
  const [first = 0, second = 0] = Buffer.from('ü');
  push('stdout', Uint8Array.of(first));
  push('stdout', Uint8Array.of(second));
  push('stdout', Uint8Array.of(0xe2));
  live.end();
  expect(text()).toBe('ü\ufffd');
});

it('sends a bounded number of bounded messages at a time', () => {
  const { live, push, timers, updates, text } = aLiveOutput();
  for (let n = 0; n < 50; n += 1) push(n % 2 === 0 ? 'stdout' : 'stderr', 'x');
  timers.fire();
  expect(updates).toHaveLength(20);
  timers.fire();
  timers.fire();
  expect(updates).toHaveLength(50);
  push('stdout', 'y'.repeat(40_000));
  timers.fire();
  expect(updates.slice(50).map(({ message }) => message?.length)).toEqual([16_384, 16_384, 7_232]);
  live.end();
  expect(text()).toHaveLength(40_050);
});

it('stops telling after a megabyte, and says so', () => {
  const { live, push, updates, text } = aLiveOutput();
  for (let n = 0; n < 20; n += 1) push('stdout', 'x'.repeat(100_000));
  live.end();
  expect(text()).toHaveLength(1_048_576 + '… the rest is in the result …\n'.length);
  expect(updates.at(-1)?.message).toContain('the rest is in the result');
});

it('gives up on streams that take turns faster than can be told', () => {
  const { live, push, updates } = aLiveOutput();
  for (let n = 0; n < 5_000; n += 1) push(n % 2 === 0 ? 'stdout' : 'stderr', 'x');
  live.end();
  expect(updates).toHaveLength(1_001);
});

it('never parts the halves of a character', () => {
  expect(cutBefore('a🎼b', 2)).toBe(1);
  expect(cutBefore('a🎼b', 3)).toBe(3);
  expect(cutBefore('ab', 3)).toBe(2);
});
