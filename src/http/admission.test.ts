import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { Admission, type MemoryUse } from './admission.ts';

const little: MemoryUse = { residentBytes: 1, heapBytes: 1 };

function aResponse(): ServerResponse {
  return new EventEmitter() as ServerResponse;
}

function anAdmission(maxCalls: number, use: { memory: MemoryUse } = { memory: little }) {
  const limits = { maxCalls, maxMemoryBytes: 100, maxHeapBytes: 100 };
  return new Admission(limits, () => use.memory);
}

it('begins as many calls as the limit says, and one for each that ends', () => {
  const admission = anAdmission(2);
  const [first, second, third] = [aResponse(), aResponse(), aResponse()];
  expect([admission.enter(first), admission.enter(second)]).toEqual([undefined, undefined]);
  expect(admission.enter(third)).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
  first.emit('close');
  expect(admission.enter(third)).toBeUndefined();
  expect(admission.running).toBe(2);
});

it.each([
  { residentBytes: 101, heapBytes: 1 },
  { residentBytes: 1, heapBytes: 101 },
])('begins only a few calls at a time while too much memory is in use: %j', (memory) => {
  const admission = anAdmission(1_000, { memory });
  let begun = 0;
  while (begun < 1_000 && !admission.enter(aResponse())) begun += 1;
  expect(begun).toBe(8);
  expect(admission.refusal()).toMatchObject({ status: 429, headers: { 'retry-after': '2' } });
});

it('reads short bodies even when no call can begin: they may end one', () => {
  const admission = anAdmission(0);
  expect(admission.bodyRefusal(10)).toBeUndefined();
  expect(admission.bodyRefusal(1_000_000)).toMatchObject({ status: 429 });
  expect(admission.bodyRefusal(undefined)).toMatchObject({ status: 429 });
  expect(anAdmission(1).bodyRefusal(1_000_000)).toBeUndefined();
});

it('begins nothing while it is drained, and says when the last call is over', async () => {
  const admission = anAdmission(2);
  const response = aResponse();
  admission.enter(response);
  admission.drain();
  expect(admission.enter(aResponse())).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1', connection: 'close' },
  });
  let isIdle = false;
  const idle = admission.untilIdle(60_000).then(() => (isIdle = true));
  await Promise.resolve();
  expect(isIdle).toBe(false);
  response.emit('close');
  await idle;
  await admission.untilIdle(0);
});

it('waits for calls no longer than its limit', async () => {
  const admission = anAdmission(2);
  admission.enter(aResponse());
  await admission.untilIdle(1);
  expect(admission.running).toBe(1);
});

it('leaves slots for others, however many calls the other tenants send', () => {
  const admission = anAdmission(1_000);
  /** Calls of this tenant that begin until it is refused. */
  const flood = (tenant: string): number => {
    let begun = 0;
    while (begun < 1_000 && !admission.enter(aResponse(), { tenant })) begun += 1;
    return begun;
  };
  expect(flood('a')).toBe(800);
  expect(admission.enter(aResponse(), { tenant: 'a' })).toMatchObject({
    status: 429,
    headers: { 'retry-after': '1' },
    message: expect.stringContaining('of your tenant'),
  });
  expect(flood('b')).toBeGreaterThan(100);
  expect(flood('c')).toBeGreaterThan(20);
  expect(flood('d')).toBeGreaterThan(4);
  expect(admission.enter(aResponse(), { tenant: 'e' })).toBeUndefined();
});

it('lets a tenant that comes later reach the same number as one that sends all the time', () => {
  const admission = anAdmission(100);
  const running: Record<string, ServerResponse[]> = { a: [], b: [] };
  const flood = (tenant: string): void => {
    for (;;) {
      const response = aResponse();
      if (admission.enter(response, { tenant })) return;
      running[tenant]?.push(response);
    }
  };
  flood('a');
  for (let round = 0; round < 500; round += 1) {
    running['a']?.shift()?.emit('close');
    flood('a');
    flood('b');
  }
  expect(running['b']?.length).toBeGreaterThan(40);
  expect(running['a']?.length).toBeLessThan(50);
});

it('gives the user at this machine every slot', () => {
  const admission = anAdmission(10);
  for (let call = 0; call < 10; call += 1) expect(admission.enter(aResponse(), {})).toBeUndefined();
  expect(admission.enter(aResponse(), {})).toMatchObject({ status: 429 });
});
