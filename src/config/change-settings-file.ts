import { ConfigError, FileNotWrittenError } from './errors.ts';
import { withFileLock } from './file-lock.ts';
import { readBytes } from './read-bytes.ts';
import { maxFileBytes, readSettingsBytes } from './read-file.ts';
import { listSettings } from './setting.ts';
import type { SettingsFile } from './settings-document.ts';
import { makeFolderFor, realFile, writeFileAtomically } from './write-file-atomically.ts';

/**
 * Changes the text of a settings file, wholly or not at all. Changes of several processes happen one
 * after the other. Throws `ConfigError` when the file, or what the change makes of it, is not valid.
 */
export async function changeSettingsFile(
  file: SettingsFile,
  change: (text: string) => Promise<string>,
): Promise<void> {
  const path = await realFile(file.path, file.kind);
  await makeFolderFor(path);
  await withFileLock(path, async () => {
    const before = await readOrEmpty(path);
    const text = await change(await checkedText(file, before));
    const after = Buffer.from(text);
    await checkedText(file, after);
    if (!after.equals(before)) await writeFileAtomically(path, text);
  });
}

async function readOrEmpty(path: string): Promise<Uint8Array> {
  try {
    return (await readBytes(path, maxFileBytes + 1)) ?? new Uint8Array();
  } catch (error) {
    throw new FileNotWrittenError(path, error);
  }
}

async function checkedText(file: SettingsFile, bytes: Uint8Array): Promise<string> {
  const { problems } = await readSettingsBytes(listSettings(), file, bytes);
  if (problems.length > 0) throw new ConfigError(problems);
  return Buffer.from(bytes).toString('utf8');
}
