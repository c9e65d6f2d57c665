import { expect, it } from 'vitest';
import { anAccess } from '../../testkit/access/an-access.ts';
import { localCaller } from '../contract/caller/index.ts';
import { createAccessPolicy } from './explain-access.ts';

const tool = { name: 'review_code', inputSchema: { type: 'object' } };
const entry = { name: 'code.review_code', wireName: 'code__review_code', server: 'code', tool };

it('explains a decision for a caller, or for a key by its id or name, with the rule', async () => {
  const { keys, store } = anAccess();
  const scopes = ['docs.*'];
  const { key } = await keys.create(localCaller, { name: 'ci', role: 'developer', scopes });
  const policy = createAccessPolicy({
    store: store.keys,
    clock: { now: () => Date.now() },
    catalogue: () => ({ entries: async () => [entry] }),
  });
  for (const wanted of [key.id, key.name, key.callerId]) {
    const [line, another] = await policy.explain(localCaller, wanted, 'code.review_code');
    expect(another).toBeUndefined();
    expect(line).toMatchObject({ callerId: 'default/ci', isAllowed: false });
    expect(line?.rule).toContain('scopes');
  }
  await keys.revoke(localCaller, key.id);
  const [closed] = await policy.explain(localCaller, 'ci', 'code.review_code');
  expect(closed?.rule).toContain('revoked');
  await expect(policy.explain(localCaller, 'unknown', 'x')).rejects.toMatchObject({
    code: 'access.unknown_key',
  });
  const viewer = { id: 'a/v', tenant: 'a', role: 'viewer' } as const;
  await expect(policy.explain(viewer, 'ci', 'x')).rejects.toMatchObject({
    code: 'access.forbidden',
  });
});
