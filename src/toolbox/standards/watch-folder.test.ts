import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchFolder } from './watch-folder.ts';

let folder: string;
let stop: () => void;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tutti-watch-'));
  stop = () => {};
});

afterEach(async () => {
  stop();
  await rm(folder, { recursive: true, force: true });
});

it('hears of files in a folder that was deleted and made again', async () => {
  const prompts = join(folder, 'prompts');
  await mkdir(prompts);
  let looks = 0;
  const look = async (): Promise<void> => {
    looks += 1;
  };
  stop = watchFolder({ folder, look, pollMs: 3_600_000, debounceMs: 5 });
  const changes = [
    () => writeFile(join(prompts, 'one.md'), '1'),
    () => rm(prompts, { recursive: true }),
    () => mkdir(prompts),
    // Several, because what is heard first may be an echo of the steps before.
    () => writeFile(join(prompts, 'two.md'), '2'),
    () => writeFile(join(prompts, 'three.md'), '3'),
    () => writeFile(join(prompts, 'four.md'), '4'),
  ];
  for (const change of changes) {
    const before = looks;
    await change();
    await vi.waitFor(() => expect(looks).toBeGreaterThan(before));
  }
});
