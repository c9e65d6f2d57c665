import { expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { SpendingStore } from './spending-store.ts';

const stranger = { id: 'stranger' };

/** What every store of spending promises. `create` gives an empty one. */
export function testSpendingStore(create: () => SpendingStore): void {
  it('says that a scope it never heard of has used nothing', async () => {
    const store = create();
    expect(await store.spentBy(localCaller, ['run:1'])).toEqual([
      { scope: 'run:1', tokens: 0, usd: 0 },
    ]);
    expect(await store.spentBy(localCaller, [])).toEqual([]);
  });

  it('adds up what a scope used, and takes back what was counted too high', async () => {
    const store = create();
    await store.add(localCaller, ['run:1', 'run:2'], { tokens: 100, usd: 0.5 });
    await store.add(localCaller, ['run:1'], { tokens: -40, usd: -0.25 });
    expect(await store.spentBy(localCaller, ['run:1', 'run:2'])).toEqual([
      { scope: 'run:1', tokens: 60, usd: 0.25 },
      { scope: 'run:2', tokens: 100, usd: 0.5 },
    ]);
  });

  it('names the parents of a scope, each once, nearest first', async () => {
    const store = create();
    await store.link(localCaller, 'run:1', 'session:1');
    await store.link(localCaller, 'session:1', 'team:1');
    await store.add(localCaller, ['session:1'], { tokens: 7, usd: 0 });
    const spent = await store.spentBy(localCaller, ['run:1', 'session:1']);
    expect(spent.map(({ scope }) => scope)).toEqual(['run:1', 'session:1', 'team:1']);
    expect(spent[1]).toMatchObject({ tokens: 7 });
  });

  it('keeps what was used when a link is made or changed', async () => {
    const store = create();
    await store.add(localCaller, ['run:1'], { tokens: 7, usd: 0 });
    await store.link(localCaller, 'run:1', 'session:1');
    await store.link(localCaller, 'run:1', 'session:2');
    expect(await store.spentBy(localCaller, ['run:1'])).toEqual([
      { scope: 'run:1', tokens: 7, usd: 0 },
      { scope: 'session:2', tokens: 0, usd: 0 },
    ]);
  });

  it('ends on links that lead round in a circle', async () => {
    const store = create();
    await store.link(localCaller, 'run:1', 'run:2');
    await store.link(localCaller, 'run:2', 'run:1');
    const spent = await store.spentBy(localCaller, ['run:1']);
    expect(spent.map(({ scope }) => scope).sort()).toEqual(['run:1', 'run:2']);
  });

  it('keeps the spending and links of callers apart', async () => {
    const store = create();
    await store.add(stranger, ['run:1'], { tokens: 7, usd: 1 });
    await store.link(stranger, 'run:1', 'session:1');
    expect(await store.spentBy(localCaller, ['run:1'])).toEqual([
      { scope: 'run:1', tokens: 0, usd: 0 },
    ]);
  });
}
