import type { BigIntStats } from 'node:fs';
import { link, lstat, open, rename, rmdir, unlink } from 'node:fs/promises';
import type { FaultPoint } from '../../../kernel/index.ts';
import { codeOf, openFolder, type OpenFolder } from '../../files/open-folder.ts';
import { ChangedOnDiskError } from '../../errors.ts';
import { WriteFailedError } from '../errors.ts';
import type { ProjectFiles, ProjectPath } from '../project-files.ts';
import { actionOf, type FileChange, type FileState } from './file-change.ts';

export interface WriteOptions {
  readonly files: ProjectFiles;
  /** Names the temporary files, so that they are found after a crash. */
  readonly id: string;
  readonly faultPoint: FaultPoint;
}

/** A file whose new content lies ready beside it. */
interface Staged {
  readonly change: FileChange;
  readonly folder: OpenFolder;
  readonly temporary: string;
  isSwapped: boolean;
}

/**
 * Brings all files into their new state or, when one fails, none.
 *
 * 1. New contents are written to temporary files in the folders of their targets and flushed first; then
 *    every target is checked to be what the change was prepared for; only then are they renamed.
 * 2. A rename replaces a file as a whole, so each file is old or new at any moment.
 * 3. A created file is linked into place, which fails where a file has appeared meanwhile.
 */
export async function writeFiles(
  changes: readonly FileChange[],
  options: WriteOptions,
): Promise<void> {
  const staged: Staged[] = [];
  try {
    for (const [index, change] of changes.entries()) {
      staged.push(await stage(change, index, options));
    }
    const changed = await findChanged(staged);
    if (changed.length > 0) throw new ChangedOnDiskError(changed, 'while it was being changed');
    for (const each of staged) {
      options.faultPoint('workspace.swap.before');
      await swap(each);
    }
    for (const { folder } of staged) await folder.sync();
  } catch (error) {
    for (const each of staged.toReversed()) if (each.isSwapped) await swapBack(each);
    throw error;
  } finally {
    for (const { folder, temporary } of staged) {
      await unlink(folder.at(temporary)).catch(ignoreMissing);
      await folder.close();
    }
  }
}

/** The name of the temporary file for the file at `index` of a change. */
export function temporaryName(id: string, index: number): string {
  return `.tutti-${id}-${index}.tmp`;
}

async function stage(
  change: FileChange,
  index: number,
  { files, id, faultPoint }: WriteOptions,
): Promise<Staged> {
  const { path, after } = change;
  const folder = await files.openParent(path, { create: after !== null });
  if (!folder) throw new ChangedOnDiskError([path.shown], 'while it was being changed');
  const temporary = temporaryName(id, index);
  try {
    if (after) await writeNew(folder.at(temporary), after);
  } catch (error) {
    await unlink(folder.at(temporary)).catch(ignoreMissing);
    await folder.close();
    throw new WriteFailedError(path.shown, error);
  }
  faultPoint('workspace.stage.after');
  return { change, folder, temporary, isSwapped: false };
}

async function writeNew(path: string, { bytes, mode, uid, gid }: FileState): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    const own = await handle.stat();
    if (own.uid !== uid || own.gid !== gid) {
      // Only the administrator may give files away; for others the file becomes their own.
      await handle.chown(uid, gid).catch(() => {});
    }
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function findChanged(staged: readonly Staged[]): Promise<string[]> {
  const changed: string[] = [];
  for (const { change, folder } of staged) {
    const info = await lstat(folder.at(nameOf(change.path)), { bigint: true }).catch(ignoreMissing);
    if (!isSameFile(info, change.before?.info)) changed.push(change.path.shown);
  }
  return changed;
}

function isSameFile(now: BigIntStats | undefined, before: BigIntStats | undefined): boolean {
  if (!now || !before) return now === before;
  return (['dev', 'ino', 'size', 'mode', 'mtimeNs', 'ctimeNs'] as const).every(
    (field) => now[field] === before[field],
  );
}

async function swap(staged: Staged): Promise<void> {
  const { change, folder, temporary } = staged;
  const target = folder.at(nameOf(change.path));
  try {
    if (!change.after) await unlink(target);
    else if (change.before) await rename(folder.at(temporary), target);
    else await linkNew(folder.at(temporary), target);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      throw new ChangedOnDiskError([change.path.shown], 'while it was being changed');
    }
    throw new WriteFailedError(change.path.shown, error);
  }
  staged.isSwapped = true;
}

/** Like a rename that replaces nothing. Some file systems have no links: there the check before has to do. */
async function linkNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes(codeOf(error))) throw error;
    await rename(from, to);
  }
}

async function swapBack({ change, folder, temporary }: Staged): Promise<void> {
  const target = folder.at(nameOf(change.path));
  if (!change.before) return unlink(target).catch(ignoreMissing);
  await unlink(folder.at(temporary)).catch(ignoreMissing);
  await writeNew(folder.at(temporary), change.before);
  await rename(folder.at(temporary), target);
}

/** The folders that a change would have to create, outermost first. */
export async function missingFolders(changes: readonly FileChange[]): Promise<FolderPath[]> {
  const missing = new Map<string, FolderPath>();
  for (const change of changes) {
    if (actionOf(change) !== 'created') continue;
    const { root, names } = change.path;
    for (let depth = 1; depth < names.length; depth += 1) {
      const folder = { root, names: names.slice(0, depth) };
      const found = await openFolder(root, folder.names);
      await found?.close();
      if (!found) missing.set(JSON.stringify(folder), folder);
    }
  }
  return [...missing.values()];
}

export interface FolderPath {
  readonly root: string;
  readonly names: readonly string[];
}

/** Removes folders that are empty, innermost first. */
export async function removeEmptyFolders(folders: readonly FolderPath[]): Promise<void> {
  for (const { root, names } of folders.toReversed()) {
    const parent = await openFolder(root, names.slice(0, -1)).catch(() => undefined);
    // One that is not empty holds files of others.
    await (parent && rmdir(parent.at(names.at(-1) ?? '')))?.catch(() => {});
    await parent?.close();
  }
}

function nameOf({ names }: ProjectPath): string {
  return names.at(-1) ?? '';
}

export function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
  return undefined;
}
