import { expect, it } from 'vitest';
import type { FeedbackEntry } from '../../contract/feedback/index.ts';
import type { FeedbackStore } from './create-feedback.ts';

const anEntry = (parts: Partial<FeedbackEntry> = {}): FeedbackEntry => ({
  kind: 'opinion',
  subject: 'run:1',
  isGood: true,
  runId: 'r1',
  sessionId: null,
  reason: 'quick',
  givenAt: '2026-01-02T03:04:05.678Z',
  ...parts,
});

/** What every store of feedback promises. `create` gives an empty one. */
export function testFeedbackStore(create: () => FeedbackStore): void {
  it('gives back what each caller said, the latest first', async () => {
    const store = create();
    const second = anEntry({ subject: 'run:2', isGood: false, sessionId: 's', runId: null });
    await store.put('anna', anEntry(), 9);
    await store.put('anna', second, 9);
    await store.put('bob', anEntry({ reason: 'theirs' }), 9);
    expect(await store.list('anna', 9)).toEqual([second, anEntry()]);
    expect(await store.list('anna', 1)).toEqual([second]);
    expect(await store.list('bob', 9)).toMatchObject([{ reason: 'theirs' }]);
  });

  it('replaces an opinion, and keeps the latest of too many', async () => {
    const store = create();
    for (const subject of ['a', 'b', 'c', 'a']) await store.put('anna', anEntry({ subject }), 2);
    expect((await store.list('anna', 9)).map(({ subject }) => subject)).toEqual(['a', 'c']);
  });
}
