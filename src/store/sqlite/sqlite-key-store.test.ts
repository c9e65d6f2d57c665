import { expect, it } from 'vitest';
import { aStore } from '../../../testkit/store/a-store.ts';

const grant = {
  runId: 'r1',
  callerId: 'a/b',
  tenant: 'a',
  role: 'viewer',
  scopes: ['x.*'],
  credential: 'jwt:1',
} as const;

it('answers before there is a database, and creates none for it', async () => {
  const store = aStore();
  const { keys } = store;
  expect(await keys.list(null, 10)).toEqual([]);
  expect(await keys.candidates('tutti_x')).toEqual([]);
  expect(await keys.runGrant('r1')).toBeUndefined();
  expect(await keys.revision()).toBe(0);
  expect((await keys.state()).closedKeys.size).toBe(0);
  expect(store.exists()).toBe(false);
});

it('forgets grants of runs that were started long ago', async () => {
  const { keys } = aStore();
  await keys.grantRun(grant, 1_000, 0);
  expect(await keys.runGrant('r1')).toEqual(grant);
  await keys.grantRun({ ...grant, runId: 'r2', scopes: null }, 2_000, 1_500);
  expect(await keys.runGrant('r1')).toBeUndefined();
  expect(await keys.runGrant('r2')).toMatchObject({ scopes: null });
});
