import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import { aDirectory } from '../../testkit/observe/a-directory.ts';
import { aStore } from '../../testkit/store/a-store.ts';
import type { ArtifactIndex } from './open-artifacts.ts';
import {
  aSetup,
  aText,
  helloFile,
  helloId,
  lineage,
  type Setup,
} from '../../testkit/artifacts/an-artifact-room.ts';
import { MemoryArtifactIndex } from '../../testkit/artifacts/memory-artifact-index.ts';

const stranger = { id: 'stranger' };
const hourMs = 3_600_000;
const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

describe('keeping an artifact', () => {
  it('gives its digest, and the bytes back to who made it', async () => {
    const { artifacts, directory } = aSetup();
    const ref = await artifacts.put(localCaller, aText('hello'));
    expect(ref).toEqual({ id: helloId, bytes: 5, mediaType: 'text/plain' });
    expect(Buffer.from(await artifacts.get(localCaller, helloId)).toString()).toBe('hello');
    expect(statSync(join(directory, helloFile)).mode & 0o777).toBe(0o600);
    for (const folder of ['', '2c', 'tmp']) {
      expect(statSync(join(directory, folder)).mode & 0o777).toBe(0o700);
    }
  });

  it('says what made it, with every run and step that made the same', async () => {
    const { artifacts, clock } = aSetup();
    const createdAt = new Date(clock.nowMs).toISOString();
    const made = { tool: 'code.format_code', argumentsDigest: 'd', inputs: [helloId] };
    await artifacts.put(localCaller, aText('hello', made));
    clock.nowMs += 1_000;
    await artifacts.put(localCaller, aText('hello', { runId: 'r2' }));
    const described = await artifacts.describe(localCaller, helloId);
    expect(described).toMatchObject({ id: helloId, bytes: 5, createdAt });
    expect(described.lineage).toMatchObject([
      { runId: 'r1', step: 'build', createdAt, ...made },
      { runId: 'r2', createdAt: new Date(clock.nowMs).toISOString() },
    ]);
    expect(await artifacts.list(localCaller, { runId: 'r2', limit: 5 })).toEqual([described]);
    expect(await artifacts.list(localCaller, { runId: 'r3', limit: 5 })).toEqual([]);
  });

  it('writes the same content once, however many ask for it at the same time', async () => {
    const { artifacts, directory } = aSetup();
    const other = aSetup({ directory }).artifacts;
    const puts = Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? artifacts : other).put(localCaller, aText('hello', { step: `s${n}` })),
    );
    await Promise.all(puts);
    const { ino } = statSync(join(directory, helloFile));
    await artifacts.put(localCaller, aText('hello', { step: 'again' }));
    expect(statSync(join(directory, helloFile)).ino).toBe(ino);
    expect(filesIn(directory)).toHaveLength(1);
  });

  it('keeps an empty one', async () => {
    const { artifacts } = aSetup();
    const { id } = await artifacts.put(localCaller, aText(''));
    expect(await artifacts.get(localCaller, id)).toHaveLength(0);
    const page = await artifacts.page(localCaller, id, { offset: 0, maxBytes: 10 });
    expect(page).toMatchObject({ offset: 0, text: '', nextOffset: null });
  });

  it('writes a file anew that is there in part', async () => {
    const { artifacts, directory } = aSetup();
    mkdirSync(join(directory, '2c'), { recursive: true });
    writeFileSync(join(directory, helloFile), 'hel');
    await artifacts.put(localCaller, aText('hello'));
    expect(readFileSync(join(directory, helloFile), 'utf8')).toBe('hello');
  });

  it.each([
    ['a text', 'ü'.repeat(6)],
    ['bytes', new Uint8Array(12)],
  ])('refuses %s above the limit and names both sizes', async (_what, content) => {
    const { artifacts, directory } = aSetup({ limits: { maxBytes: 11 } });
    await expect(artifacts.put(localCaller, aText(content))).rejects.toMatchObject({
      code: 'artifacts.too_large',
      message: expect.stringContaining('it has 12 bytes, and an artifact may have 11'),
    });
    expect(existsSync(directory)).toBe(false);
  });

  it('says so when the bytes cannot be written, and notes nothing', async () => {
    const home = aDirectory();
    writeFileSync(join(home, 'artifacts'), 'a file in its place');
    const { artifacts } = aSetup({ directory: join(home, 'artifacts') });
    await expect(artifacts.put(localCaller, aText('hello'))).rejects.toMatchObject({
      code: 'artifacts.not_written',
      retryable: true,
    });
    expect(await artifacts.list(localCaller, { limit: 5 })).toEqual([]);
  });

  it('leaves no unfinished file when it fails', async () => {
    const { artifacts, directory } = aSetup({
      faultPoint: (point) => {
        if (point === 'artifact.before-rename') throw new Error('no more');
      },
    });
    await expect(artifacts.put(localCaller, aText('hello'))).rejects.toThrow('no more');
    expect(filesIn(directory)).toEqual([]);
  });

  it('writes the bytes again when they are removed before they are noted', async () => {
    const directory = join(aDirectory(), 'artifacts');
    let removals = 0;
    const { artifacts } = aSetup({
      directory,
      faultPoint: (point) => {
        if (point !== 'artifact.before-note' || (removals += 1) > 1) return;
        rmSync(join(directory, '2c'), { recursive: true });
      },
    });
    await artifacts.put(localCaller, aText('hello'));
    expect(await artifacts.get(localCaller, helloId)).toHaveLength(5);
  });

  it('gives up when they disappear each time', async () => {
    const directory = join(aDirectory(), 'artifacts');
    const { artifacts } = aSetup({
      directory,
      faultPoint: (point) => {
        if (point === 'artifact.before-note') rmSync(join(directory, helloFile));
      },
    });
    await expect(artifacts.put(localCaller, aText('hello'))).rejects.toMatchObject({
      code: 'artifacts.not_written',
    });
    expect(await artifacts.list(localCaller, { limit: 5 })).toEqual([]);
  });
});

describe('reading an artifact', () => {
  it('is for its caller alone', async () => {
    const { artifacts } = aSetup();
    await artifacts.put(localCaller, aText('hello'));
    const range = { offset: 0, maxBytes: 5 };
    for (const attempt of [
      () => artifacts.get(stranger, helloId),
      () => artifacts.page(stranger, helloId, range),
      () => artifacts.describe(stranger, helloId),
      () => artifacts.hold(stranger, helloId, lineage()),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'artifacts.not_found' });
    }
    expect(await artifacts.list(stranger, { limit: 5 })).toEqual([]);
  });

  it.each(['', 'sha256:../../etc/passwd', `sha256:${'A'.repeat(64)}`, 'x'.repeat(10_000)])(
    'finds nothing under %.30s',
    async (id) => {
      const { artifacts } = aSetup({ index: new MemoryArtifactIndex() });
      await expect(artifacts.get(localCaller, id)).rejects.toMatchObject({
        code: 'artifacts.not_found',
      });
    },
  );

  it('notices bytes that changed on disk, also between two pages', async () => {
    const { artifacts, directory } = aSetup();
    await artifacts.put(localCaller, aText('hello'));
    const range = { offset: 0, maxBytes: 5 };
    expect(await artifacts.page(localCaller, helloId, range)).toMatchObject({ text: 'hello' });
    writeFileSync(join(directory, helloFile), 'jello');
    for (const attempt of [
      () => artifacts.get(localCaller, helloId),
      () => artifacts.page(localCaller, helloId, range),
    ]) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'artifacts.damaged',
        message: expect.stringContaining('not those that were kept'),
      });
    }
  });

  it('says when the file is gone', async () => {
    const { artifacts, directory } = aSetup();
    await artifacts.put(localCaller, aText('hello'));
    rmSync(join(directory, helloFile));
    for (const attempt of [
      () => artifacts.get(localCaller, helloId),
      () => artifacts.hold(localCaller, helloId, lineage({ step: 'later' })),
    ]) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'artifacts.damaged',
        message: expect.stringContaining('its file is gone'),
      });
    }
  });

  it('says when the file cannot be opened', async () => {
    const { artifacts, directory } = aSetup();
    await artifacts.put(localCaller, aText('hello'));
    rmSync(join(directory, '2c'), { recursive: true });
    writeFileSync(join(directory, '2c'), '');
    chmodSync(join(directory, '2c'), 0o600);
    await expect(artifacts.get(localCaller, helloId)).rejects.toMatchObject({
      code: 'artifacts.damaged',
      message: expect.stringContaining('cannot be opened'),
    });
  });
});

describe('collecting', () => {
  const old = (setup: Setup): void => {
    setup.clock.nowMs += 2 * hourMs;
  };

  it('removes what nobody made any more, and says how much', async () => {
    const setup = aSetup();
    const { artifacts, directory } = setup;
    await artifacts.put(localCaller, aText('hello'));
    await artifacts.put(localCaller, aText('world', { runId: 'r2' }));
    await artifacts.put(stranger, aText('world', { runId: 'r3' }));
    old(setup);
    expect(await artifacts.collect()).toEqual({ removed: 0, freedBytes: 0 });
    await artifacts.release(localCaller, ['r1', 'r2']);
    await expect(artifacts.get(localCaller, helloId)).rejects.toMatchObject({
      code: 'artifacts.not_found',
    });
    expect(await artifacts.collect()).toEqual({ removed: 1, freedBytes: 5 });
    expect(filesIn(directory)).toHaveLength(1);
    await artifacts.release(stranger, ['r3']);
    expect(await artifacts.collect()).toEqual({ removed: 1, freedBytes: 5 });
    expect(await artifacts.collect()).toEqual({ removed: 0, freedBytes: 0 });
  });

  it('removes at once what is discarded, but for what another run made, too', async () => {
    const { artifacts, directory } = aSetup();
    await artifacts.put(localCaller, aText('hello'));
    await artifacts.put(localCaller, aText('world'));
    await artifacts.put(localCaller, aText('world', { runId: 'r2' }));
    await artifacts.discard(localCaller, ['r1']);
    expect(filesIn(directory)).toHaveLength(1);
    expect(await artifacts.list(localCaller, { limit: 9 })).toMatchObject([{ bytes: 5 }]);
    await artifacts.discard(stranger, ['r2']);
    expect(filesIn(directory)).toHaveLength(1);
    await artifacts.discard(localCaller, ['r2']);
    expect(filesIn(directory)).toEqual([]);
  });

  it('does nothing where nothing was ever kept', async () => {
    const { artifacts, directory } = aSetup();
    expect(await artifacts.collect()).toEqual({ removed: 0, freedBytes: 0 });
    expect(existsSync(directory)).toBe(false);
  });

  it('spares a file that a put is just adding, new or old', async () => {
    const directory = join(aDirectory(), 'artifacts');
    const index = aStore().artifactIndex;
    const collector = aSetup({ directory, index });
    const collected: Promise<unknown>[] = [];
    const { artifacts, clock } = aSetup({
      directory,
      index,
      faultPoint: (point) => {
        if (point === 'artifact.before-note') collected.push(collector.artifacts.collect());
      },
    });
    await artifacts.put(localCaller, aText('hello'));
    await artifacts.release(localCaller, ['r1']);
    clock.nowMs += 2 * hourMs;
    collector.clock.nowMs = clock.nowMs;
    await artifacts.put(localCaller, aText('hello', { runId: 'r2' }));
    expect(await Promise.all(collected)).toEqual([
      { removed: 0, freedBytes: 0 },
      { removed: 0, freedBytes: 0 },
    ]);
    expect(await artifacts.get(localCaller, helloId)).toHaveLength(5);
  });

  it('keeps what a step holds that did not make it', async () => {
    const setup = aSetup();
    await setup.artifacts.put(localCaller, aText('hello'));
    const ref = await setup.artifacts.hold(localCaller, helloId, lineage({ runId: 'r2' }));
    expect(ref).toEqual({ id: helloId, bytes: 5, mediaType: 'text/plain' });
    await setup.artifacts.release(localCaller, ['r1']);
    old(setup);
    expect(await setup.artifacts.collect()).toEqual({ removed: 0, freedBytes: 0 });
    expect(await setup.artifacts.get(localCaller, helloId)).toHaveLength(5);
  });

  it('sweeps unfinished files of the dead, not those somebody writes or that are none of ours', async () => {
    const { artifacts, directory, clock } = aSetup();
    const folder = join(directory, 'tmp');
    mkdirSync(folder, { recursive: true });
    const noProcess = 2 ** 22 + 1;
    const ageMs = {
      [`${noProcess}-0000000000000001`]: 2 * 60_000,
      [`${noProcess}-0000000000000002`]: 0,
      [`${process.pid}-0000000000000003`]: 2 * 60_000,
      [`${process.pid}-0000000000000004`]: 2 * hourMs,
      'notes.txt': 2 * hourMs,
    };
    for (const [name, age] of Object.entries(ageMs)) {
      writeFileSync(join(folder, name), 'half');
      const seconds = (clock.nowMs - age) / 1000;
      utimesSync(join(folder, name), seconds, seconds);
    }
    await artifacts.collect();
    expect(readdirSync(folder).sort()).toEqual(
      [`${process.pid}-0000000000000003`, `${noProcess}-0000000000000002`, 'notes.txt'].sort(),
    );
  });

  it('leaves files alone that are no artifacts', async () => {
    const setup = aSetup();
    mkdirSync(join(setup.directory, 'ab'), { recursive: true });
    writeFileSync(join(setup.directory, 'ab', 'mine.txt'), 'x');
    writeFileSync(join(setup.directory, 'cd'), 'x');
    old(setup);
    expect(await setup.artifacts.collect()).toEqual({ removed: 0, freedBytes: 0 });
    expect(filesIn(setup.directory).sort()).toEqual(['cd', 'mine.txt']);
  });

  it('passes on what goes wrong with the index', async () => {
    const index: ArtifactIndex = new MemoryArtifactIndex();
    const failing = Object.create(index, {
      recent: { value: async () => [helloId] },
      makersOf: { value: () => Promise.reject(new Error('broken')) },
    });
    const { artifacts } = aSetup({ index: failing });
    await expect(artifacts.list(localCaller, { limit: 1 })).rejects.toThrow('broken');
  });
});
