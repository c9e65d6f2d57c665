import { expect, it } from 'vitest';
import { leftForFullCollection } from '../../testkit/kernel/left-for-full-collection.ts';
import { SharedTimeout } from '../kernel/index.ts';
import { runCall } from './running-call.ts';
import { aContext } from '../../testkit/fleet/a-server.ts';

const calls = 20_000;
/** Made old, a function and what it keeps took 9 to 400; what V8 compiles meanwhile takes less than 1. */
const maxBytesPerCall = 4;

it('leaves nothing of a call for a full collection', async () => {
  const plan = {
    what: 'Tool "one.hello"',
    limits: { timeoutMs: 1_000, maxTotalMs: 1_000, abortGraceMs: 1_000 },
    timeout: new SharedTimeout(1_000),
    semaphore: undefined,
    work: () => Promise.resolve(0),
    onLeftBehind: () => {},
  };
  const context = aContext();
  const callOften = async (): Promise<void> => {
    for (let n = 0; n < calls; n += 1) await runCall(plan, context, {});
  };
  await callOften();
  const left = (await leftForFullCollection(callOften, 3)) / calls;
  expect(left).toBeLessThan(maxBytesPerCall);
});
