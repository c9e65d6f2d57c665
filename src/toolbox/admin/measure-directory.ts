import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Looking at more takes longer than anybody waits for a status. */
const maxEntries = 20_000;

export interface DirectorySize {
  readonly path: string;
  readonly bytes: number;
  readonly files: number;
  /** False when there is more than was counted. */
  readonly isComplete: boolean;
}

/** How much is in a folder. Links are not followed; what cannot be read counts nothing. */
export async function measureDirectory(path: string): Promise<DirectorySize> {
  const folders = [path];
  let bytes = 0;
  let files = 0;
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of entriesOf(folder)) {
      entries += 1;
      if (entries > maxEntries) return { path, bytes, files, isComplete: false };
      const inner = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(inner);
      if (!entry.isFile()) continue;
      bytes += await stat(inner).then(
        ({ size }) => size,
        () => 0,
      );
      files += 1;
    }
  }
  return { path, bytes, files, isComplete: true };
}

async function* entriesOf(folder: string) {
  const opened = await opendir(folder).catch(() => undefined);
  if (opened) yield* opened;
}
