import { expect, it } from 'vitest';
import type { AddedContext, ContextStore } from './context-store.ts';

const limits = { maxVersions: 9, maxBytes: 1_000, maxShares: 2 };

const aVersion = (id: string, parts: Partial<AddedContext> = {}): AddedContext => ({
  owner: 'anna',
  id,
  name: 'work',
  parent: null,
  createdAt: '2026-01-02T03:04:05.678Z',
  items: 1,
  bytes: 10,
  tokens: 3,
  text: `{"text":"${id}"}`,
  ...parts,
});

/** What every store of contexts promises. `create` gives an empty one. */
export function testContextStore(create: () => ContextStore): void {
  async function filled(): Promise<ContextStore> {
    const store = create();
    const versions = [
      aVersion('aa1'),
      aVersion('aa2', { parent: 'aa1' }),
      aVersion('bb1', { parent: 'aa2' }),
      aVersion('ff1', { name: 'Other' }),
    ];
    await store.add(versions, limits);
    await store.add([aVersion('aa9', { owner: 'bob', name: 'work' })], limits);
    return store;
  }
  const ids = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => id);

  it('numbers the versions of each name and gives them back', async () => {
    const store = await filled();
    const { text, ...version } = aVersion('aa2', { parent: 'aa1' });
    expect(await store.find('anna', { name: 'work', number: 2 }, 9)).toEqual([
      { ...version, number: 2 },
    ]);
    expect(await store.text({ owner: 'anna', id: 'aa2' })).toBe(text);
    expect(await store.text({ owner: 'bob', id: 'aa2' })).toBeUndefined();
    expect(ids(await store.find('anna', { name: 'work' }, 9))).toEqual(['bb1']);
    expect(ids(await store.find('anna', { idPrefix: 'aa' }, 9))).toEqual(['aa1', 'aa2']);
    expect(ids(await store.latest('anna', 9))).toEqual(['ff1', 'bb1']);
    expect(ids(await store.chain({ owner: 'anna', id: 'bb1' }))).toEqual(['bb1', 'aa2', 'aa1']);
  });

  it('adds a version once, and nothing of what is too much', async () => {
    const store = await filled();
    expect(await store.add([aVersion('aa1'), aVersion('cc1')], limits)).toEqual({
      kind: 'added',
      count: 1,
    });
    const more = Array.from({ length: 5 }, (_, n) => aVersion(`dd${n}`));
    expect(await store.add(more, limits)).toEqual({ kind: 'full', what: 'versions' });
    expect(await store.add([aVersion('ee1', { bytes: 951 })], limits)).toEqual({
      kind: 'full',
      what: 'bytes',
    });
    expect(ids(await store.latest('anna', 9))).toEqual(['cc1', 'ff1']);
  });

  it('shows what is shared, behind what is the caller’s own', async () => {
    const store = await filled();
    const share = { owner: 'anna', name: 'work', sharedWith: 'bob' };
    expect(ids(await store.find('bob', { idPrefix: 'aa' }, 9))).toEqual(['aa9']);
    expect(await store.share(share, 2)).toBe(true);
    expect(await store.share(share, 1)).toBe(true);
    expect(await store.share({ ...share, sharedWith: 'Zoe' }, 1)).toBe(false);
    expect(await store.share({ ...share, sharedWith: 'Zoe' }, 2)).toBe(true);
    expect(await store.shares('anna', 'work')).toEqual(['Zoe', 'bob']);
    expect(ids(await store.find('bob', { idPrefix: 'aa' }, 9))).toEqual(['aa9', 'aa1', 'aa2']);
    expect(ids(await store.find('bob', { name: 'work' }, 9))).toEqual(['aa9', 'bb1']);
    await store.unshare(share);
    expect(ids(await store.find('bob', { idPrefix: 'aa' }, 9))).toEqual(['aa9']);
  });

  it('removes one version, or a name with its shares', async () => {
    const store = await filled();
    await store.share({ owner: 'anna', name: 'work', sharedWith: 'bob' }, 2);
    expect(await store.remove('anna', { id: 'bb1' })).toBe(1);
    expect(await store.remove('bob', { id: 'aa1' })).toBe(0);
    expect(await store.remove('anna', { name: 'work' })).toBe(2);
    expect(await store.shares('anna', 'work')).toEqual([]);
    expect(ids(await store.latest('anna', 9))).toEqual(['ff1']);
  });
}
