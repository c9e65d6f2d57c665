import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { noFaults } from '../../../kernel/index.ts';
import {
  checkFolder,
  FolderWriter,
  isPlainName,
  keepNewest,
  listSteps,
  removePartial,
  stepFolderName,
} from './index.ts';

const parent = mkdtempSync(join(tmpdir(), 'tutti-checkpoints-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

async function write(step: number, faults = noFaults): Promise<string> {
  const writer = new FolderWriter(join(parent, 'incoming'), faults);
  for (const name of ['weights', 'optimizer']) {
    const file = await writer.add(name);
    await file.write(Buffer.from(`${name} ${step}`));
    await file.end();
  }
  return (await writer.commit('job', step, join(parent, stepFolderName(step)))).folder;
}

describe('a checkpoint', () => {
  it('is verified when it was written to its end', async () => {
    expect(await checkFolder(await write(1))).toMatchObject({
      kind: 'verified',
      job: 'job',
      stored: { step: 1 },
    });
  });

  it.each(['folder made', 'file written', 'manifest written'])(
    'is not there when its writing failed at "%s"',
    async (point) => {
      const fail = (name: string): void => {
        if (name === point) throw new Error('failed');
      };
      await expect(write(2, fail)).rejects.toThrow('failed');
      expect(await listSteps(parent)).not.toContain(stepFolderName(2));
      await removePartial(parent);
      expect(readdirSync(parent).filter((name) => name.endsWith('.partial'))).toEqual([]);
    },
  );

  it.each([
    [
      'a shorter file',
      (folder: string) => truncateSync(join(folder, 'weights'), 2),
      'weights has other bytes',
    ],
    [
      'a file that is missing',
      (folder: string) => rmSync(join(folder, 'optimizer')),
      'optimizer is missing',
    ],
    [
      'a torn manifest',
      (folder: string) => truncateSync(join(folder, 'manifest.json'), 9),
      'its manifest is missing or torn',
    ],
    [
      'a manifest that leads elsewhere',
      (folder: string) =>
        writeFileSync(
          join(folder, 'manifest.json'),
          '{"job":"job","step":3,"files":[{"name":"../x","sha256":"","bytes":1}]}',
        ),
      'its manifest is missing or torn',
    ],
  ])('with %s is damaged', async (_what, damage, reason) => {
    const folder = await write(3);
    damage(folder);
    expect(await checkFolder(folder)).toEqual({ kind: 'damaged', reason });
  });

  it('replaces one of the same step, and the newest are kept', async () => {
    for (const step of [5, 40, 300, 300]) await write(step);
    await keepNewest(parent, 2);
    expect(await listSteps(parent)).toEqual([stepFolderName(300), stepFolderName(40)]);
  });

  it.each(['../a', 'a/b', '', '.hidden', 'manifest.json', 'a\0b'])(
    'takes no file called %j',
    (name) => {
      expect(isPlainName(name)).toBe(false);
    },
  );
});
