import { expect, it } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import type { Preference } from '../contract/preference/index.ts';
import type { PreferenceStore } from './preference-store.ts';

const stranger = { id: 'stranger' };

const liking = (text: string): Preference => ({
  topic: 'indentation',
  text,
  learnedAt: '2026-01-02T03:04:05.678Z',
  origin: 'statement',
  evidence: text,
  state: 'active',
});

/** What every store of preferences promises. `create` gives an empty one. */
export function testPreferenceStore(create: () => PreferenceStore): void {
  const textsIn = async (store: PreferenceStore, caller = localCaller): Promise<string[]> =>
    (await store.list(caller)).map(({ preference }) => preference.text);

  it('gives back what each caller prefers, the latest added first', async () => {
    const store = create();
    const whole: Preference = {
      ...liking('whole'),
      choice: { of: 'line width', value: '100' },
      language: 'python',
      project: '/p',
      source: { session: 's', turn: 1 },
      acceptedAt: '2026-01-03T00:00:00.000Z',
    };
    await store.write(localCaller, { add: [liking('a'), whole] });
    await store.write(stranger, { add: [liking('theirs')] });
    expect((await store.list(localCaller)).map(({ preference }) => preference)).toEqual([
      whole,
      liking('a'),
    ]);
    expect(await textsIn(store, stranger)).toEqual(['theirs']);
  });

  it('changes and removes only what belongs to the caller', async () => {
    const store = create();
    await store.write(localCaller, { add: [liking('a'), liking('b')] });
    const [b, a] = await store.list(localCaller);
    const change = {
      update: [{ id: b?.id ?? 0, preference: liking('changed') }],
      remove: [a?.id ?? 0],
    };
    await store.write(stranger, change);
    expect(await textsIn(store)).toEqual(['b', 'a']);
    await store.write(localCaller, { ...change, add: [liking('c')] });
    expect(await textsIn(store)).toEqual(['c', 'changed']);
  });
}
