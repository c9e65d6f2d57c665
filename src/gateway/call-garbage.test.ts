import { expect, it } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import { leftForFullCollection } from '../../testkit/kernel/left-for-full-collection.ts';
import { createMethods } from './methods.ts';
import type { RequestClient } from './request-client.ts';
import { RunningRequest } from './requests-in-flight.ts';
import { FixtureServer } from '../../testkit/gateway/fixture-server.ts';

const calls = 20_000;
/** Made old, a function and what it keeps took 9 to 400; what V8 compiles meanwhile takes less than 1. */
const maxBytesPerCall = 4;

it('leaves nothing of a call for a full collection', async () => {
  const server = Object.assign(new FixtureServer(), { callTool: async () => ({ content: [] }) });
  const call = createMethods(server).get('tools/call');
  const client = { progress: () => {} } as unknown as RequestClient;
  const callOften = async (): Promise<void> => {
    for (let n = 0; n < calls; n += 1) {
      await call?.(
        { name: 'echo' },
        {
          caller: localCaller,
          running: new RunningRequest(),
          meta: {},
          client,
        },
      );
    }
  };
  await callOften();
  const left = (await leftForFullCollection(callOften, 3)) / calls;
  expect(left).toBeLessThan(maxBytesPerCall);
});
