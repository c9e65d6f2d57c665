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
