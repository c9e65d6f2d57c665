import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { testArtifactIndex } from '../../artifacts/artifact-index.suite.ts';
import { anArtifactMaker } from '../../../testkit/artifacts/an-artifact-maker.ts';
import { localCaller } from '../../contract/caller/index.ts';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { SqlArtifactIndex } from './sql-artifact-index.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { aStore } from '../../../testkit/store/a-store.ts';

describe.each(sqlWorlds)('the artifact index in %s', (_name, aWorld) => {
  testArtifactIndex(() => new SqlArtifactIndex(aWorld()().sql));

  it('adds nothing while it is decided what is unused, in any process', async () => {
    const world = aWorld();
    const [one, other] = [1, 2].map(() => new SqlArtifactIndex(world().sql));
    const { id } = anArtifactMaker(1);
    let isThere = true;
    const used: string[] = [];
    await Promise.all([
      one?.forUnused([id], (unused) => {
        isThere = false;
        used.push(unused);
      }),
      other?.add(anArtifactMaker(1), () => isThere),
    ]);
    expect(await one?.makersOf(localCaller, id, 9)).toHaveLength(1 - used.length);
  });
});

describe('the artifact index in SQLite', () => {
  it('asks whether the bytes are there, and names what is unused, while nobody else can write', async () => {
    const home = aDirectory();
    const index = aStore({ home }).artifactIndex;
    const other = aStore({ home, busyTimeoutMs: 1 }).artifactIndex;
    const attempts: Promise<unknown>[] = [];
    const attempt = (): true => {
      attempts.push(other.add(anArtifactMaker(2), () => true));
      return true;
    };
    await index.release(localCaller, []);
    await index.add(anArtifactMaker(1), attempt);
    await index.forUnused([anArtifactMaker(2).id], attempt);
    const results = await Promise.allSettled(attempts);
    expect(results).toMatchObject([
      { status: 'rejected', reason: { code: 'store.busy' } },
      { status: 'rejected', reason: { code: 'store.busy' } },
    ]);
  });

  it.each(['{', '7', '["a",1]'])('tells of a maker whose inputs are %s', async (text) => {
    const store = aStore();
    await store.artifactIndex.add(anArtifactMaker(1), () => true);
    const raw = new DatabaseSync(store.path);
    raw.prepare('UPDATE artifact_makers SET inputs = ?').run(text);
    raw.close();
    const inputs = text.startsWith('[') ? ['a'] : [];
    expect(await store.artifactIndex.makersOf(localCaller, anArtifactMaker(1).id, 1)).toEqual([
      anArtifactMaker(1, { inputs }),
    ]);
  });
});
