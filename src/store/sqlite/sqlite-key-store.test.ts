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

it('answers before there is a database, and creates none for it', () => {
  const store = aStore();
  const { keys } = store;
  expect(keys.list(null, 10)).toEqual([]);
  expect(keys.candidates('tutti_x')).toEqual([]);
  expect(keys.runGrant('r1')).toBeUndefined();
  expect(keys.revision()).toBe(0);
  expect(keys.state().closedKeys.size).toBe(0);
  expect(store.exists()).toBe(false);
});

it('forgets grants of runs that were started long ago', async () => {
  const { keys } = aStore();
  await keys.grantRun(grant, 1_000, 0);
  expect(keys.runGrant('r1')).toEqual(grant);
  await keys.grantRun({ ...grant, runId: 'r2', scopes: null }, 2_000, 1_500);
  expect(keys.runGrant('r1')).toBeUndefined();
  expect(keys.runGrant('r2')).toMatchObject({ scopes: null });
});
