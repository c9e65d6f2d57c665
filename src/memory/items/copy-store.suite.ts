import { expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { noCopies } from '../../contract/memory/index.ts';
import { aContext, aFailure, aPreference } from '../../../testkit/memory/copies.ts';
import type { ContextStore } from '../contexts/context-store.ts';
import type { ExperienceStore } from '../experience/experience-store.ts';
import type { FeedbackStore } from '../feedback/create-feedback.ts';
import type { PreferenceStore } from '../preference-store.ts';
import type { CopyStore } from './copy-store.ts';

interface Stores {
  readonly copies: CopyStore;
  readonly contexts: ContextStore;
  readonly experience: ExperienceStore;
  readonly feedback: FeedbackStore;
  readonly preferences: PreferenceStore;
}

const stranger = { id: 'stranger' };
const secret = 'Anna "the boat" Bay\nlives at 5 Quay';
const nothing = { texts: [], turns: [], runIds: [] };
const at = '2026-01-02T03:04:05.678Z';

/** What every store of copies promises. `create` gives empty stores of one database. */
export function testCopyStore(create: () => Stores): void {
  const failuresIn = async ({ experience }: Stores): Promise<readonly string[]> =>
    (await experience.list(localCaller, 9)).map(({ id }) => id);

  it('removes preferences that a turn or the words stand behind', async () => {
    const { copies, preferences } = create();
    const add = [
      aPreference({ topic: 'a', source: { session: 's', turn: 3 } }),
      aPreference({ topic: 'b', evidence: 'always tabs at the Blue Quay' }),
      aPreference({ topic: 'c', source: { session: 's', turn: 4 } }),
    ];
    await preferences.write(localCaller, { add });
    await preferences.write(stranger, { add });
    const words = { ...nothing, texts: ['Always tabs at the blue quay. And Ben knows it'] };
    expect(await copies.forget(localCaller, words)).toEqual({ ...noCopies, preferences: 1 });
    const turns = [{ session: 's', turn: 3 }];
    expect(await copies.forget(localCaller, { ...nothing, turns })).toMatchObject({
      preferences: 1,
    });
    const left = await preferences.list(localCaller);
    expect(left.map(({ preference }) => preference.topic)).toEqual(['c']);
    expect(await preferences.list(stranger)).toHaveLength(3);
  });

  it('removes failures with the words or of the runs, what was learned from them alone, and its uses', async () => {
    const stores = create();
    const { copies, experience } = stores;
    await experience.addFailure(localCaller, aFailure('a', { runId: 'r1' }), 9);
    const attempt = { arguments: { note: JSON.stringify({ to: secret }) }, surroundings: {} };
    await experience.addFailure(localCaller, aFailure('b', { attempt }), 9);
    await experience.addFailure(localCaller, aFailure('c', { message: secret.toUpperCase() }), 9);
    await experience.addFailure(localCaller, aFailure('d'), 9);
    await experience.addFailure(stranger, aFailure('e', { message: secret }), 9);
    const fix = { signature: 's1', subject: 'shop.order', normalised: 'no quota', changes: [] };
    const change = {
      what: 'arguments' as const,
      path: 'to',
      before: '""',
      after: JSON.stringify(secret),
    };
    const terms = { atMs: 1, maxFixes: 9 };
    const changes = [change] as const;
    for (const id of ['learned:of-a', 'learned:of-a-and-d', 'learned:of-d']) {
      await experience.addFix(localCaller, { ...fix, id }, terms);
    }
    await experience.addFix(localCaller, { ...fix, id: 'learned:with-words', changes }, terms);
    await experience.approve(localCaller, 'learned:with-words', true);
    for (const [fixId, failureId] of [
      ['learned:of-a', 'a'],
      ['learned:of-a-and-d', 'a'],
      ['learned:of-a-and-d', 'd'],
      ['learned:of-d', 'd'],
      ['learned:with-words', 'd'],
    ] as const) {
      await experience.addUse(localCaller, { fixId, failureId, atMs: 1, isCured: true }, 9);
    }
    const words = { ...nothing, texts: [secret], runIds: ['r1'] };
    expect(await copies.forget(localCaller, words)).toEqual({ ...noCopies, failures: 3, fixes: 2 });
    expect(await failuresIn(stores)).toEqual(['d']);
    const left = (await experience.fixes(localCaller, {}, 9)).map(({ id }) => id);
    expect(left.toSorted()).toEqual(['learned:of-a-and-d', 'learned:of-d']);
    expect(await experience.record(localCaller, 'learned:of-a-and-d', 9)).toMatchObject({
      uses: [{ failureId: 'd' }],
    });
    expect(await experience.record(localCaller, 'learned:with-words', 9)).toMatchObject({
      uses: [],
      isApproved: false,
    });
    expect(await experience.list(stranger, 9)).toHaveLength(1);
  });

  it('empties reasons of feedback about the runs and turns, and with the words', async () => {
    const { copies, feedback } = create();
    const given = { kind: 'opinion', isGood: false, sessionId: null, givenAt: at } as const;
    const about = { ...given, runId: null, reason: 'wrong' };
    await feedback.put('local', { ...about, subject: 'run:r1', runId: 'r1' }, 9);
    await feedback.put('local', { ...about, subject: 'turn:s#4' }, 9);
    await feedback.put('local', { ...about, subject: 'turn:s#6', reason: `not ${secret}` }, 9);
    await feedback.put('local', { ...about, subject: 'turn:s#44' }, 9);
    const turns = [{ session: 's', turn: 4 }];
    const words = { texts: [secret], turns, runIds: ['r1'] };
    expect(await copies.forget(localCaller, words)).toEqual({ ...noCopies, feedback: 3 });
    const left = await feedback.list('local', 9);
    expect(left.map(({ reason }) => reason).toSorted()).toEqual(['', '', '', 'wrong']);
  });

  it('removes versions of contexts with the words and says which, with the shares of empty ones', async () => {
    const { copies, contexts } = create();
    const limits = { maxVersions: 9, maxBytes: 9_999, maxShares: 2 };
    const text = JSON.stringify({ items: [{ text: `Note: ${secret}` }] });
    await contexts.add(
      [
        aContext({ text }),
        aContext({ id: 'ctx-2' }),
        aContext({ id: 'ctx-3', name: 'boat', text }),
      ],
      limits,
    );
    await contexts.share({ owner: 'local', name: 'boat', sharedWith: 'ben' }, 2);
    await contexts.share({ owner: 'local', name: 'work', sharedWith: 'ben' }, 2);
    const words = { ...nothing, texts: [secret] };
    const { contexts: gone } = await copies.forget(localCaller, words);
    expect(gone.toSorted()).toEqual(['boat@1', 'work@1']);
    expect((await contexts.latest('local', 9)).map(({ id }) => id)).toEqual(['ctx-2']);
    expect(await contexts.shares('local', 'boat')).toEqual([]);
    expect(await contexts.shares('local', 'work')).toEqual(['ben']);
  });

  it('touches nothing for words that are too short to be told from others', async () => {
    const stores = create();
    await stores.experience.addFailure(localCaller, aFailure('a', { message: 'yes, it fails' }), 9);
    expect(await stores.copies.forget(localCaller, { ...nothing, texts: ['yes'] })).toEqual(
      noCopies,
    );
    expect(await failuresIn(stores)).toEqual(['a']);
  });
}
