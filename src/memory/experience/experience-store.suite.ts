import { expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { ExperienceStore, LearnedFix, StoredFailure } from './experience-store.ts';

const stranger = { id: 'stranger' };

const aFailure = (id: string, parts: Partial<StoredFailure> = {}): StoredFailure => ({
  id,
  at: '2026-01-02T03:04:05.678Z',
  kind: 'step',
  subject: 'shop.order',
  code: 'tool.failed',
  message: 'no "quota"',
  signature: 's1',
  family: null,
  runId: 'r1',
  step: 'order',
  traceId: null,
  facets: {},
  curedBy: null,
  curedAt: null,
  target: 'release/order',
  normalised: 'no quota',
  attempt: { arguments: { region: 'eu' }, surroundings: {} },
  ...parts,
});

const aFix = (id: string, parts: Partial<LearnedFix> = {}): LearnedFix => ({
  id,
  signature: 's1',
  subject: 'shop.order',
  normalised: 'no quota',
  changes: [],
  ...parts,
});

/** What every store of experience promises. `create` gives an empty one. */
export function testExperienceStore(create: () => ExperienceStore): void {
  const ids = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => id);

  it('gives back failures of a caller, the latest first, and keeps as many as it may', async () => {
    const store = create();
    for (const id of ['a1', 'a2', 'b3', 'a2']) await store.addFailure(localCaller, aFailure(id), 3);
    await store.addFailure(stranger, aFailure('theirs', { runId: null }), 3);
    expect(await store.find(localCaller, 'b')).toEqual(aFailure('b3'));
    expect(await store.find(localCaller, 'a')).toBeUndefined();
    expect(ids(await store.list(localCaller, 2))).toEqual(['b3', 'a2']);
    expect(ids(await store.ofRun(localCaller, 'r1'))).toEqual(['b3', 'a2', 'a1']);
    await store.addFailure(localCaller, aFailure('c4'), 3);
    expect(ids(await store.list(localCaller, 9))).toEqual(['c4', 'b3', 'a2']);
    expect(await store.seen(localCaller, 's1')).toEqual({ count: 3, lastAt: aFailure('').at });
    expect(await store.seen(localCaller, 'none')).toEqual({ count: 0, lastAt: null });
  });

  it('adds what was suggested for an open failure, and nothing to others', async () => {
    const store = create();
    await store.addFailure(localCaller, aFailure('a1'), 9);
    await store.addFailure(stranger, aFailure('b1'), 9);
    await store.noteSuggested(localCaller, 'a1', ['f1']);
    await store.noteSuggested(localCaller, 'a1', ['f1', 'f2']);
    await store.noteSuggested(localCaller, 'b1', ['f1']);
    expect(await store.find(localCaller, 'a1')).toEqual(
      aFailure('a1', { suggested: ['f1', 'f2'] }),
    );
    expect(await store.find(stranger, 'b1')).toEqual(aFailure('b1'));
    await store.settle(localCaller, 'release/order', { fixId: 'f1', at: aFailure('').at });
    await store.noteSuggested(localCaller, 'a1', ['f3']);
    expect(await store.find(localCaller, 'a1')).toMatchObject({
      suggested: ['f1', 'f2'],
      curedBy: 'f1',
    });
  });

  it('settles every open failure of a target', async () => {
    const store = create();
    await store.addFailure(localCaller, aFailure('a1'), 9);
    await store.addFailure(localCaller, aFailure('a2', { target: 'Z' }), 9);
    expect(await store.openTargets(localCaller, 9)).toEqual(['Z', 'release/order']);
    const cure = { fixId: 'f1', at: '2026-02-02T03:04:05.678Z' };
    await store.settle(localCaller, 'release/order', cure);
    expect(await store.find(localCaller, 'a1')).toMatchObject({ curedBy: 'f1', curedAt: cure.at });
    expect(ids(await store.open(localCaller, 'release/order', 9))).toEqual([]);
    expect(ids(await store.open(localCaller, 'Z', 9))).toEqual(['a2']);
  });

  it('keeps fixes by what they are for, the latest of too many', async () => {
    const store = create();
    const other = aFix('f2', { signature: 's2', subject: 'x' });
    await store.addFix(localCaller, aFix('f1'), { atMs: 1, maxFixes: 2 });
    await store.addFix(localCaller, other, { atMs: 2, maxFixes: 2 });
    expect(ids(await store.fixes(localCaller, {}, 9))).toEqual(['f2', 'f1']);
    expect(await store.fixes(localCaller, { signature: 's2' }, 9)).toEqual([other]);
    expect(ids(await store.fixes(localCaller, { subject: 'shop.order' }, 9))).toEqual(['f1']);
    await store.addFix(localCaller, aFix('f3'), { atMs: 3, maxFixes: 2 });
    expect(ids(await store.fixes(localCaller, {}, 9))).toEqual(['f3', 'f2']);
    expect(await store.fix(localCaller, 'f1')).toBeUndefined();
    expect(await store.fixes(stranger, {}, 9)).toEqual([]);
  });

  it('counts the uses of a fix, and remembers who approved it', async () => {
    const store = create();
    const use = { fixId: 'f1', failureId: null, atMs: 1, isCured: true };
    await store.addUse(localCaller, use, 2);
    await store.addUse(localCaller, { ...use, failureId: 'a1', isCured: false }, 2);
    await store.addUse(localCaller, { ...use, fixId: 'f2' }, 2);
    await store.approve(localCaller, 'f1', true);
    await store.approve(localCaller, 'f1', true);
    expect(await store.record(localCaller, 'f1', 9)).toEqual({
      uses: [{ ...use, failureId: 'a1', isCured: false }, use],
      isApproved: true,
      totals: { uses: 2, cures: 1 },
    });
    expect(await store.used(localCaller, 9)).toEqual(['f2', 'f1']);
    await store.approve(localCaller, 'f1', false);
    expect((await store.record(localCaller, 'f1', 1)).isApproved).toBe(false);
    expect((await store.record(stranger, 'f1', 9)).totals).toEqual({ uses: 0, cures: 0 });
  });
}
