import { describe, expect, it } from 'vitest';
import { localCaller, type Caller } from '../../contract/caller/index.ts';
import type { MemoryFound, MemoryItem, MemoryQuery } from '../../contract/memory/index.ts';
import { silentLog } from '../../kernel/index.ts';
import { aMemoryItem } from '../../../testkit/memory/a-memory-item.ts';
import { aStore } from '../../../testkit/store/a-store.ts';
import { wordsOf } from '../converse/words.ts';
import { createMemorySearch, type MemorySearchOptions } from './create-memory-search.ts';

const now = '2026-03-15T12:00:00.000Z';
const dimensions = 384;

/** Texts are close when they share words; "pet", "dog" and "corgi" count as one. */
async function embed(text: string): Promise<Float32Array> {
  const vector = new Float32Array(dimensions);
  for (const word of wordsOf(text)) {
    const meant = ['pet', 'dog', 'corgi'].includes(word) ? 'dog' : word;
    let at = 7;
    for (const character of meant) at = (at * 31 + (character.codePointAt(0) ?? 0)) % dimensions;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((number) => number / length);
}

interface Said {
  readonly at?: string;
  readonly text: string;
}

/** A store with a session of these turns, and a search over it. */
async function aMemory(turns: readonly Said[], options: Partial<MemorySearchOptions> = {}) {
  const { memoryItems: store, sessions } = aStore();
  const at = '2026-01-01T00:00:00.000Z';
  const session = { version: 1 as const, id: 's', title: 's', createdAt: at, updatedAt: at };
  const said = turns.map((turn, index) => ({
    number: index + 1,
    at: turn.at ?? at,
    role: 'user' as const,
    text: turn.text,
    remembered: [],
  }));
  const whole = { ...session, forkedFrom: null, summary: null, turns: said };
  await sessions.add(localCaller, whole, { maxSessions: 10 });
  await store.indexTurns(1_000);
  const pending = await store.pendingVectors(1_000);
  await store.addVectors(
    await Promise.all(pending.map(async ({ id, text }) => ({ id, vector: await embed(text) }))),
  );
  const find = createMemorySearch({
    store,
    embed: (texts) => Promise.all(texts.map(embed)),
    clock: { now: () => Date.parse(now) },
    log: silentLog,
    ...options,
  });
  const search = (text: string, parts: Partial<MemoryQuery> = {}): Promise<MemoryFound> =>
    find({ caller: localCaller, text, limit: 10, signal: new AbortController().signal, ...parts });
  const add = async (parts: Partial<MemoryItem>, caller: Caller = localCaller): Promise<void> => {
    const item = aMemoryItem(parts);
    await store.add(caller, [{ item, vector: await embed(item.text) }]);
  };
  return { store, search, add };
}

const texts = ({ hits }: MemoryFound): string[] => hits.map(({ item }) => item.text);
const chatter = ['It rained all day long here', 'The bus came late once more', 'Lunch was soup'];
const smallTalk = chatter.map((text) => ({ text }));

describe('a search in memory', () => {
  it('finds by words, by meaning, and says why', async () => {
    const { search } = await aMemory([
      ...smallTalk,
      { text: 'We adopted a corgi from the shelter' },
      { text: 'Staging listens on port 8443 since Monday', at: '2026-03-12T09:00:00.000Z' },
    ]);
    expect(texts(await search('What pet do we have?'))[0]).toContain('corgi');
    const [hit] = (await search('which port has staging?')).hits;
    expect(hit?.item.text).toContain('8443');
    expect(hit?.receipt).toMatchObject({
      words: ['port', 'staging'],
      ageDays: 3,
      isSuperseded: false,
      source: { kind: 'turn', session: 's', turn: 5 },
    });
    expect(hit?.receipt.because).toMatch(
      /^You said it in session s, turn 5, 3 days ago; shares "port", "staging"; likeness 0\.\d\d$/,
    );
  });

  it('finds an answer by the question before it', async () => {
    const { search } = await aMemory([
      ...smallTalk,
      { text: 'Marcus: Which instrument did you choose in the end?' },
      { text: 'Anna: The big one that stands on the floor, obviously, my neighbours hate me' },
      ...smallTalk,
    ]);
    const found = texts(await search('Which instrument did Anna choose?'));
    expect(found.slice(0, 2).join()).toContain('The big one');
  });

  it('prefers what the named person said, and the month that was named', async () => {
    const { search } = await aMemory([
      { text: 'Anna: I baked a lemon cake this weekend', at: '2026-01-10T00:00:00.000Z' },
      { text: 'Marcus: I baked a plum cake this weekend', at: '2026-01-20T00:00:00.000Z' },
      { text: 'Anna: I baked a cherry cake this weekend', at: '2026-02-20T00:00:00.000Z' },
    ]);
    expect(texts(await search('What did Marcus bake?'))[0]).toContain('plum');
    expect(texts(await search('What did Anna bake in February?'))[0]).toContain('cherry');
    expect(texts(await search('What did Anna bake in January?'))[0]).toContain('lemon');
  });

  it('leaves out superseded facts and marks their turns, but for questions about the past', async () => {
    const { search, store, add } = await aMemory([
      { text: 'I work as a baker at the mill' },
      ...smallTalk,
      { text: 'I work as a nurse at the clinic now' },
    ]);
    const source = (turn: number) => ({ kind: 'turn', session: 's', turn, role: 'user' }) as const;
    await add({ id: 'old', text: 'They work as a baker', source: source(1) });
    const item = aMemoryItem({ id: 'new', text: 'They work as a nurse', source: source(5) });
    await store.supersede(localCaller, 'old', { item, vector: await embed(item.text) });
    const current = await search('What do I work as?');
    expect(texts(current)).not.toContain('They work as a baker');
    expect(current.hits[0]?.item.text).toContain('nurse');
    const marked = current.hits.filter(({ receipt }) => receipt.isSuperseded);
    expect(marked.map(({ item: it }) => it.text)).toEqual(['I work as a baker at the mill']);
    expect(marked[0]?.receipt.because).toContain('what it says is superseded');
    const past = await search('What did I work as before?');
    expect(past.hits.some(({ item: it }) => it.text.includes('baker'))).toBe(true);
  });

  it('has what is pinned first where it matches, however many match better', async () => {
    const { search, add } = await aMemory(smallTalk);
    for (let n = 0; n < 150; n += 1) await add({ id: `b${n}`, text: `backup ${n} of staging` });
    const text =
      'Whoever touches staging tells Anna before, and writes it into the book at the door';
    await add({ id: 'pin', text, pinned: true });
    await add({
      id: 'gone',
      text: 'staging backup',
      pinned: true,
      validUntil: '2026-02-01T00:00:00.000Z',
    });
    const found = await search('staging backup');
    expect(found.hits[0]?.item.id).toBe('pin');
    expect(found.hits[0]?.receipt.because).toContain('pinned; shares "staging"');
    expect(texts(found)).not.toContain('staging backup');
    expect(found.hits.map(({ score }) => score)).toEqual(
      found.hits.map(({ score }) => score).toSorted((a, b) => b - a),
    );
    expect(texts(await search('what was for lunch?'))).not.toContain(text);
  });

  it('has what is pinned in another project where it would be anyway', async () => {
    const place = async () => '/shop';
    const { search, add } = await aMemory([], { place });
    const source = (folder: string) => ({ kind: 'person', face: 'cli', folder }) as const;
    const text = 'The bank deploys at night';
    await add({ id: 'theirs', text, source: source('/bank'), pinned: true });
    await add({ id: 'ours', text: 'The shop deploys at night', source: source('/shop') });
    expect(texts(await search('when does the shop deploy?'))[0]).toContain('shop');
  });

  it('returns one of several texts that say the same', async () => {
    const same = { text: 'The standup meeting starts at nine every day' };
    const { search } = await aMemory([same, ...smallTalk, same, ...smallTalk, same]);
    const found = texts(await search('When does the standup meeting start?'));
    expect(found.filter((text) => text === same.text)).toHaveLength(1);
  });

  it('returns what fits into a budget of tokens, the best first', async () => {
    const { search } = await aMemory([
      { text: `The release is on Friday. ${'And so on and on. '.repeat(100)}` },
      { text: 'The release party is on Friday evening' },
    ]);
    const found = await search('When is the release on Friday?', { tokenBudget: 40 });
    expect(texts(found)).toEqual(['The release party is on Friday evening']);
    expect(texts(await search('When is the release?', { tokenBudget: 0 }))).toEqual([]);
  });

  it('returns only what the filter allows, neighbours included', async () => {
    const { search, add, store } = await aMemory([
      { text: 'Tell me about the harbour festival' },
      { text: 'It was loud and lovely and there was music' },
      ...smallTalk,
    ]);
    await add({ id: 'fact', text: 'The harbour festival is in June' });
    await store.change(localCaller, 's-2', { status: 'excluded' });
    const kinds = await search('harbour festival', { filter: { kinds: ['fact'] } });
    expect(texts(kinds)).toEqual(['The harbour festival is in June']);
    expect(texts(await search('harbour festival')).join()).not.toContain('loud and lovely');
    const late = await search('harbour festival', { filter: { observedFrom: now } });
    expect(texts(late)).toEqual([]);
  });

  it('shows a caller nothing of another one', async () => {
    const { search, add } = await aMemory(smallTalk);
    await add({ id: 'secret', text: 'The vault code is 4711' }, { id: 'eve' });
    expect(texts(await search('What is the vault code?')).join()).not.toContain('4711');
  });

  it('doubts that it can answer what nothing is about', async () => {
    const { search } = await aMemory([...smallTalk, { text: 'Staging listens on port 8443' }]);
    expect((await search('Which port does staging listen on?')).isAnswerable).toBe(true);
    expect((await search('Who painted the Nightwatch in Amsterdam?')).isAnswerable).toBe(false);
    expect((await search('')).isAnswerable).toBe(false);
  });

  it('has a fact with the words of the question first before its vector is there', async () => {
    const { search, store, add } = await aMemory(smallTalk);
    for (let n = 0; n < 150; n += 1)
      await add({ id: `c${n}`, text: `the corgi number ${n} barks` });
    const item = aMemoryItem({ id: 'new', text: 'the dog eats twice a day' });
    await store.add(localCaller, [{ item }]);
    for (const question of ['dog', 'What about the dog?', 'How often does the dog eat?']) {
      const found = await search(question);
      expect(found.isAnswerable, question).toBe(true);
      expect(texts(found)[0]).toBe(item.text);
    }
    expect((await search('Who painted the dog in the Amsterdam museum?')).isAnswerable).toBe(false);
    expect((await search('What did Marcus say of the dog?')).isAnswerable).toBe(false);
  });

  it('goes by words alone where meanings fail or take too long', async () => {
    const turns = [...smallTalk, { text: 'Staging listens on port 8443' }];
    const failing = { embed: () => Promise.reject(new Error('no model')) };
    const { search } = await aMemory(turns, failing);
    const [hit] = (await search('staging port')).hits;
    expect(hit?.item.text).toContain('8443');
    expect(hit?.receipt.likeness).toBeNull();
    const never = { embed: () => new Promise<never>(() => undefined), embedPatienceMs: 5 };
    const slow = await aMemory(turns, never);
    expect(texts(await slow.search('staging port'))[0]).toContain('8443');
  });

  it('ends with the reason of its signal', async () => {
    const { search } = await aMemory(smallTalk);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(search('lunch', { signal })).rejects.toThrow('enough');
  });
});
