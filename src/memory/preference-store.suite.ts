import { expect, it } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import type { Preference, PreferenceStore } from './preference-store.ts';

const stranger = { id: 'stranger' };

const liking = (topic: string, text: string): Preference => ({
  topic,
  text,
  learnedAt: '2026-01-02T03:04:05.678Z',
});

/** What every store of preferences promises. `create` gives an empty one. */
export function testPreferenceStore(create: () => PreferenceStore): void {
  it('gives back what each caller likes, the latest learned first', async () => {
    const store = create();
    await store.put(localCaller, liking('a', 'A'), 9);
    await store.put(localCaller, liking('b', 'B'), 9);
    await store.put(stranger, liking('a', 'theirs'), 9);
    expect(await store.list(localCaller)).toEqual([liking('b', 'B'), liking('a', 'A')]);
    expect(await store.list(stranger)).toEqual([liking('a', 'theirs')]);
  });

  it('has one for each topic, the last', async () => {
    const store = create();
    for (const text of ['tabs', 'spaces']) await store.put(localCaller, liking('a', text), 9);
    await store.put(localCaller, liking('b', 'B'), 9);
    await store.put(localCaller, liking('a', 'tabs'), 9);
    expect(await store.list(localCaller)).toEqual([liking('a', 'tabs'), liking('b', 'B')]);
  });

  it('drops the oldest beyond the limit, and what it is told to', async () => {
    const store = create();
    for (const topic of ['a', 'b', 'c']) await store.put(localCaller, liking(topic, topic), 2);
    expect((await store.list(localCaller)).map(({ topic }) => topic)).toEqual(['c', 'b']);
    expect(await store.remove(stranger, 'c')).toBe(false);
    expect(await store.remove(localCaller, 'c')).toBe(true);
    expect(await store.remove(localCaller, 'c')).toBe(false);
    expect((await store.list(localCaller)).map(({ topic }) => topic)).toEqual(['b']);
  });
}
