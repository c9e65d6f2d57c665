import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type Clock, type FaultPoint, type Log } from '../../../kernel/index.ts';
import { openFolder } from '../../files/open-folder.ts';
import { ChangedOnDiskError } from '../../errors.ts';
import { NoSuchChangeError, PathRefusedError, WorkspaceBusyError } from '../errors.ts';
import type { ProjectFiles } from '../project-files.ts';
import { type ChangeRecord, ChangeRecords } from './change-records.ts';
import {
  actionOf,
  type FileChange,
  showChanges,
  type ShownChange,
  stateHash,
  stateOf,
} from './file-change.ts';
import { missingFolders, removeEmptyFolders, temporaryName, writeFiles } from './write-files.ts';

interface JournalParts {
  readonly files: ProjectFiles;
  /** Where changes are kept: a folder in the data directory. */
  readonly folder: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly faultPoint: FaultPoint;
}

/** A change that is in effect. The id is null when every file already was as wanted. */
export interface AppliedChange extends ShownChange {
  readonly id: string | null;
  /** The change that this one took back. */
  readonly undoes: string | null;
}

export interface PreparedChange {
  readonly changes: readonly FileChange[];
  /** The change that this one takes back. */
  readonly undoes?: ChangeRecord;
  /** What it does, in a few words; absent where the files say it. */
  readonly what?: string;
}

interface ApplyRequest {
  /** Works the change out while no other process changes files. Throws what speaks against it. */
  readonly prepare: () => Promise<PreparedChange>;
  readonly key: string | null;
  readonly signal: AbortSignal;
}

/**
 * Applies changes so that they can be undone, and survives kill -9 at any moment.
 *
 * 1. The lock is held while files are changed: one process at a time.
 * 2. A change is on disk, marked as pending, before its first file is touched. The next holder of the lock
 *    finishes it when at least one file is new already, and drops it when none is.
 * 3. Every file is replaced by a rename, so it is old or new as a whole.
 */
export class ChangeJournal {
  readonly #parts: JournalParts;
  readonly #records: ChangeRecords;

  constructor(parts: JournalParts) {
    this.#parts = parts;
    this.#records = new ChangeRecords(parts.folder);
  }

  /** Finishes or drops what a process left half done. Costs next to nothing where there is none. */
  async recover(signal: AbortSignal): Promise<void> {
    if (this.#records.hasPending()) await this.#locked(signal, async () => {});
  }

  async apply({ prepare, key, signal }: ApplyRequest): Promise<AppliedChange> {
    return this.#locked(signal, async () => {
      const known = await this.#records.applied();
      const same = key === null ? undefined : known.find((record) => record.key === key);
      if (same) return appliedChange(same);
      const { changes, undoes, what } = await prepare();
      const shown = showChanges(changes);
      const effective = changes.filter((change) => actionOf(change) !== 'unchanged');
      if (effective.length === 0) return { id: null, undoes: null, ...shown };
      signal.throwIfAborted();
      const atMs = Math.max(this.#parts.clock.now(), (known.at(-1)?.atMs ?? 0) + 1);
      const id = `${atMs.toString(36).padStart(9, '0')}-${randomBytes(3).toString('hex')}`;
      const head = {
        id,
        atMs,
        key,
        undoes: undoes?.id ?? null,
        ...(what !== undefined && { what }),
      };
      await this.#carryOut({ ...head, changes: effective, shown: showChanges(effective) }, undoes);
      return { id, undoes: head.undoes, ...shown };
    });
  }

  /** The change to undo: the named one, else the last of this project that is neither undone nor itself an undo. */
  async findUndoable(id: string | undefined): Promise<ChangeRecord> {
    if (id === undefined) {
      const [last] = await this.listUndoable(1);
      if (!last) throw new NoSuchChangeError('There is nothing to undo here');
      return last;
    }
    const records = await this.#records.applied();
    const found = records.find((record) => record.id === id);
    if (!found)
      throw new NoSuchChangeError(`There is no change "${id}", or it is too old to be undone`);
    if (records.some(({ undoes }) => undoes === found.id))
      throw new NoSuchChangeError(`The change "${found.id}" is undone already`);
    return found;
  }

  /** The changes of this project that are neither undone nor an undo, latest first. */
  async listUndoable(limit: number): Promise<ChangeRecord[]> {
    const records = await this.#records.applied();
    const undone = new Set(records.map(({ undoes }) => undoes));
    const found: ChangeRecord[] = [];
    for (const record of records.toReversed()) {
      if (found.length >= limit) break;
      const isOpen = record.undoes === null && !undone.has(record.id);
      if (isOpen && (await this.#isInRoots(record))) found.push(record);
    }
    return found;
  }

  /** The journal is shared by all projects of a user: a change may be of another one. */
  async #isInRoots({ files }: ChangeRecord): Promise<boolean> {
    try {
      for (const { root, names } of files) await this.#parts.files.locate(join(root, ...names));
      return true;
    } catch (error) {
      if (error instanceof PathRefusedError) return false;
      throw error;
    }
  }

  /** What takes a change back. Throws when one of its files is no longer as the change left it. */
  async prepareUndo(record: ChangeRecord): Promise<FileChange[]> {
    const changes: FileChange[] = [];
    const changed: string[] = [];
    for (const [index, file] of record.files.entries()) {
      const path = await this.#parts.files.locate(join(file.root, ...file.names));
      const before = stateOf(await this.#parts.files.read(path));
      if (stateHash(before) !== (file.after?.hash ?? null)) changed.push(file.path);
      changes.push({ path, before, after: await this.#records.content(record, index, 'before') });
    }
    if (changed.length > 0) throw new ChangedOnDiskError(changed, `since change "${record.id}"`);
    return changes;
  }

  async #carryOut(
    change: Omit<Parameters<ChangeRecords['begin']>[0], 'folders'>,
    undoes: ChangeRecord | undefined,
  ): Promise<void> {
    const { files, faultPoint, clock } = this.#parts;
    const folders = await missingFolders(change.changes);
    faultPoint('workspace.begin.before');
    const record = await this.#records.begin({ ...change, folders });
    faultPoint('workspace.begin.after');
    try {
      await writeFiles(change.changes, { files, id: change.id, faultPoint });
    } catch (error) {
      // Anything else than a refusal may have left files half changed: the next call settles them.
      if (!(error instanceof AppError)) throw error;
      await removeEmptyFolders(folders);
      await this.#records.drop(record);
      throw error;
    }
    if (undoes) await removeEmptyFolders(undoes.folders);
    faultPoint('workspace.finish.before');
    await this.#records.finish(record);
    faultPoint('workspace.finish.after');
    await this.#records.prune(clock.now());
  }

  async #locked<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const path = join(this.#parts.folder, 'lock');
    return withChangeLock({ path, signal }, async () => {
      const record = await this.#records.pending();
      if (record) await this.#settle(record);
      return work();
    });
  }

  /** Brings a half-done change to one of its ends. A file that others changed since stays as it is. */
  async #settle(record: ChangeRecord): Promise<void> {
    const { files, log, faultPoint } = this.#parts;
    if (record.isApplied) return this.#records.finish(record);
    await this.#removeTemporaries(record);
    const found = await Promise.all(record.files.map((_, index) => this.#examine(record, index)));
    const isStarted = found.some(({ side }) => side === 'after');
    const isForward = isStarted && found.every(({ side }) => side !== 'other');
    const wanted = isForward ? 'after' : 'before';
    const changes: FileChange[] = [];
    for (const [index, { side, change }] of found.entries()) {
      if (side === 'other' || side === wanted || !change) continue;
      changes.push({ ...change, after: await this.#records.content(record, index, wanted) });
    }
    log.warn('finishing an interrupted change', { change: record.id, direction: wanted });
    try {
      await writeFiles(changes, { files, id: record.id, faultPoint });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.error('failed to finish an interrupted change', {
        change: record.id,
        error: error.message,
      });
    }
    if (isForward) return this.#records.finish(record);
    await removeEmptyFolders(record.folders);
    await this.#records.drop(record);
  }

  async #examine(
    record: ChangeRecord,
    index: number,
  ): Promise<{ side: 'before' | 'after' | 'other'; change?: FileChange }> {
    const file = record.files[index];
    if (!file) return { side: 'other' };
    const path = { root: file.root, names: file.names, shown: file.path };
    try {
      const before = stateOf(await this.#parts.files.read(path));
      const hash = stateHash(before);
      const change = { path, before, after: null };
      if (hash === (file.after?.hash ?? null)) return { side: 'after', change };
      return { side: hash === (file.before?.hash ?? null) ? 'before' : 'other', change };
    } catch (error) {
      if (error instanceof AppError) return { side: 'other' };
      throw error;
    }
  }

  async #removeTemporaries(record: ChangeRecord): Promise<void> {
    for (const [index, { root, names }] of record.files.entries()) {
      const folder = await openFolder(root, names.slice(0, -1)).catch(() => undefined);
      await (folder && unlink(folder.at(temporaryName(record.id, index))))?.catch(() => {});
      await folder?.close();
    }
  }
}

function appliedChange({ id, undoes, files, diff }: ChangeRecord): AppliedChange {
  const shown = files.map(({ path, action, added, removed, note }) => {
    return { path, action, added, removed, note };
  });
  return { id, undoes, files: shown, diff };
}

const maxNamed = 5;

/** `replace "a" with "b"`, `delete old.py`: what a change did, for people. */
export function describeChange({ what, files }: Pick<ChangeRecord, 'what' | 'files'>): string {
  if (what !== undefined) return what;
  const verbs = { created: 'create', modified: 'change', deleted: 'delete', unchanged: 'keep' };
  const done = files.map(({ action, path }) => `${verbs[action]} ${path}`);
  const more = done.length > maxNamed ? `, … ${done.length - maxNamed} more` : '';
  return `${done.slice(0, maxNamed).join(', ')}${more}`;
}

/** The name of a call for the journal: the same only for the same caller, key and arguments. */
export function callKey(caller: string, key: unknown, args: unknown): string | null {
  if (typeof key !== 'string') return null;
  return createHash('sha256')
    .update(JSON.stringify([caller, key, args]))
    .digest('hex');
}

const waitLimitMs = 30_000;
const retryMs = 10;
const busyCode = 5;

/**
 * Lets one process at a time change files. An exclusive transaction of an empty SQLite database is a lock
 * that the system releases when its process dies, which Node offers no other way to get.
 */
async function withChangeLock<Result>(
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
  work: () => Promise<Result>,
): Promise<Result> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    const started = performance.now();
    while (!tryLock(database)) {
      if (performance.now() - started > waitLimitMs) throw new WorkspaceBusyError(waitLimitMs);
      await sleep(retryMs, undefined, { signal });
    }
    return await work();
  } finally {
    database.close();
  }
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === busyCode) return false;
    throw error;
  }
}
