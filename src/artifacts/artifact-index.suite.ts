import { expect, it } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import type { ArtifactIndex, ArtifactMaker } from './open-artifacts.ts';
import { anArtifactMaker, artifactId } from '../../testkit/artifacts/an-artifact-maker.ts';

const stranger = { id: 'stranger' };
const there = (): boolean => true;
const all = { limit: 100 };

/** What every index of artifacts promises. `create` gives an empty one. */
export function testArtifactIndex(create: () => ArtifactIndex): void {
  const filled = async (...makers: readonly ArtifactMaker[]): Promise<ArtifactIndex> => {
    const index = create();
    for (const maker of makers) expect(await index.add(maker, there)).toBe(true);
    return index;
  };

  const unusedOf = async (index: ArtifactIndex, ids: readonly string[]): Promise<string[]> => {
    const unused: string[] = [];
    await index.forUnused(ids, (id) => unused.push(id));
    return unused;
  };

  it('gives back every part of a maker as it was added', async () => {
    const full = anArtifactMaker(1, {
      step: 'outer[2]/inner',
      tool: 'code.format_code',
      argumentsDigest: 'd'.repeat(64),
      inputs: [artifactId(7), artifactId(8)],
      createdAt: '2026-03-04T05:06:07.890Z',
    });
    const bare = anArtifactMaker(2);
    const index = await filled(full, bare);
    expect(await index.makersOf(localCaller, full.id, 5)).toEqual([full]);
    expect(await index.makersOf(localCaller, bare.id, 5)).toEqual([bare]);
    expect(await index.makersOf(localCaller, artifactId(3), 5)).toEqual([]);
  });

  it('notes nothing when the bytes are not there', async () => {
    const index = create();
    expect(await index.add(anArtifactMaker(1), () => false)).toBe(false);
    expect(await index.makersOf(localCaller, artifactId(1), 5)).toEqual([]);
  });

  it('keeps all makers of the same bytes, oldest first, and of equal ones the first', async () => {
    const one = anArtifactMaker(1, { runId: 'r1' });
    const two = anArtifactMaker(1, { runId: 'r2' });
    const again = anArtifactMaker(1, { runId: 'r1', tool: 'another' });
    const index = await filled(one, two, again);
    expect(await index.makersOf(localCaller, one.id, 5)).toEqual([one, two]);
    expect(await index.makersOf(localCaller, one.id, 1)).toEqual([one]);
  });

  it('lists ids once each, latest first, of all runs or of one', async () => {
    const index = await filled(
      anArtifactMaker(1, { runId: 'r1' }),
      anArtifactMaker(2, { runId: 'r2' }),
      anArtifactMaker(3, { runId: 'r1' }),
      anArtifactMaker(1, { runId: 'r2' }),
    );
    const ids = [artifactId(1), artifactId(3), artifactId(2)];
    expect(await index.recent(localCaller, all)).toEqual(ids);
    expect(await index.recent(localCaller, { limit: 2 })).toEqual(ids.slice(0, 2));
    expect(await index.recent(localCaller, { ...all, runId: 'r1' })).toEqual([
      artifactId(3),
      artifactId(1),
    ]);
    expect(await index.recent(localCaller, { ...all, runId: 'r3' })).toEqual([]);
  });

  it('shows each caller its own only, and lets none release what others made', async () => {
    const mine = anArtifactMaker(1);
    const theirs = { ...anArtifactMaker(1), callerId: stranger.id, mediaType: 'text/html' };
    const index = await filled(mine, theirs);
    expect(await index.makersOf(stranger, mine.id, 5)).toEqual([theirs]);
    await index.release(stranger, [mine.lineage.runId]);
    expect(await index.makersOf(stranger, mine.id, 5)).toEqual([]);
    expect(await index.recent(stranger, all)).toEqual([]);
    expect(await index.makersOf(localCaller, mine.id, 5)).toEqual([mine]);
    expect(await unusedOf(index, [mine.id])).toEqual([]);
  });

  it('names those nobody made any more as unused', async () => {
    const index = await filled(
      anArtifactMaker(1, { runId: 'r1' }),
      anArtifactMaker(1, { runId: 'r2' }),
      anArtifactMaker(2, { runId: 'r2' }),
    );
    const ids = [1, 2, 3].map(artifactId);
    expect(await unusedOf(index, ids)).toEqual([artifactId(3)]);
    await index.release(localCaller, ['r2', 'unknown']);
    expect(await unusedOf(index, ids)).toEqual([artifactId(2), artifactId(3)]);
    await index.release(localCaller, ['r1']);
    expect(await unusedOf(index, ids)).toEqual(ids);
  });
}
