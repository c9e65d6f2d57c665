import { getHeapSpaceStatistics } from 'node:v8';
import { expect, it } from 'vitest';
import { createMethods } from './methods.ts';
import type { RequestClient } from './request-client.ts';
import { RunningRequest } from './running-request.ts';
import { FixtureServer } from './testing/fixture-server.ts';

const calls = 20_000;
/** Made old, a function and what it keeps took 9 to 400; what V8 compiles meanwhile takes less than 1. */
const maxBytesPerCall = 4;

function oldBytes(): number {
  const old = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space');
  return old?.space_used_size ?? Number.NaN;
}

it('leaves nothing of a call for a full collection', async () => {
  const server = Object.assign(new FixtureServer(), { callTool: async () => ({ content: [] }) });
  const call = createMethods(server).get('tools/call');
  const client = { progress: () => {} } as unknown as RequestClient;
  const callOften = async (): Promise<void> => {
    for (let n = 0; n < calls; n += 1) {
      await call?.({ name: 'echo' }, { running: new RunningRequest(), meta: {}, client });
    }
  };
  await callOften();
  // A full collection in between would hide what was left: the worst of several counts.
  const left: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const before = oldBytes();
    await callOften();
    left.push((oldBytes() - before) / calls);
  }
  expect(Math.max(...left)).toBeLessThan(maxBytesPerCall);
});
