import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { addressOf, TokenBuckets } from './request-limits.ts';

describe('token buckets', () => {
  it('fill at their rate up to their burst, also when the clock is set back', () => {
    const clock = { ms: 0, now: () => clock.ms };
    const buckets = new TokenBuckets({ perSecond: 2, burst: 2, clock });
    expect([buckets.take('a'), buckets.take('a'), buckets.take('a')]).toEqual([0, 0, 1]);
    expect(buckets.take('b')).toBe(0);
    clock.ms = 500;
    expect([buckets.take('a'), buckets.take('a')]).toEqual([0, 1]);
    clock.ms = 0;
    expect(buckets.take('a')).toBe(1);
    clock.ms = 1_000_000;
    expect([buckets.take('a'), buckets.take('a'), buckets.take('a')]).toEqual([0, 0, 1]);
  });

  it('are bounded in number, whatever is sent', () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 1, clock: { now: () => 0 } });
    for (let key = 0; key < 50_000; key += 1) buckets.take(String(key));
    expect(buckets.size).toBe(10_000);
  });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::', 'fe80:0:0:0'],
])('counts %s as %s', (remoteAddress, expected) => {
  expect(addressOf({ socket: { remoteAddress } } as IncomingMessage)).toBe(expected);
});
