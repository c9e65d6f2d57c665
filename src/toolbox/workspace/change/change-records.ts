import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import {
  actions,
  type FileChange,
  type FileState,
  type ShownChange,
  stateHash,
} from './file-change.ts';
import { ignoreMissing, type FolderPath } from './write-files.ts';

/** How many changes can be undone, how much they may take on disk, and for how long. */
export const undoLimits = {
  maxChanges: 200,
  maxBytes: 256 * 1024 * 1024,
  maxAgeMs: 30 * 24 * 3_600_000,
} as const;

const state = z.object({ hash: z.string(), mode: z.int(), uid: z.int(), gid: z.int() }).nullable();
const place = z.object({ root: z.string(), names: z.array(z.string()) });

const recordSchema = z.object({
  id: z.string(),
  atMs: z.number(),
  isApplied: z.boolean(),
  /** What the caller names the call by; a second call by this name is the same one. */
  key: z.string().nullable(),
  /** The change that this one takes back. */
  undoes: z.string().nullable(),
  /** What the call did, in a few words; absent where the files say it. */
  what: z.string().optional(),
  bytes: z.int(),
  files: z.array(
    z.object({
      ...place.shape,
      path: z.string(),
      action: z.enum(actions),
      added: z.int(),
      removed: z.int(),
      note: z.string().optional(),
      before: state,
      after: state,
    }),
  ),
  /** Folders the change created. */
  folders: z.array(place),
  diff: z.string(),
});

export type ChangeRecord = z.output<typeof recordSchema>;

export interface NewRecord {
  readonly id: string;
  readonly atMs: number;
  readonly key: string | null;
  readonly undoes: string | null;
  readonly what?: string;
  readonly changes: readonly FileChange[];
  readonly shown: ShownChange;
  readonly folders: readonly FolderPath[];
}

/**
 * Changes in the data directory, each a folder with its record and the contents of its files before and
 * after. `pending` names the one that is being applied: it exists from before the first file is touched
 * until the record says that all are.
 */
export class ChangeRecords {
  readonly #folder: string;
  readonly #pending: string;

  constructor(folder: string) {
    this.#folder = join(folder, 'changes');
    this.#pending = join(folder, 'pending');
  }

  /** The change a process is applying, or was when it died. */
  async pending(): Promise<ChangeRecord | undefined> {
    if (!existsSync(this.#pending)) return undefined;
    const id = await readFile(this.#pending, 'utf8').catch(ignoreMissing);
    return id === undefined ? undefined : this.find(id);
  }

  hasPending(): boolean {
    return existsSync(this.#pending);
  }

  /** Writes down all that is needed to finish the change or to take it back, then marks it as pending. */
  async begin({ changes, shown, ...head }: NewRecord): Promise<ChangeRecord> {
    const folder = join(this.#folder, head.id);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    let bytes = 0;
    const files: ChangeRecord['files'] = [];
    for (const [index, { path, before, after }] of changes.entries()) {
      if (before) await writeDurably(join(folder, `before-${index}`), before.bytes);
      if (after) await writeDurably(join(folder, `after-${index}`), after.bytes);
      bytes += (before?.bytes.length ?? 0) + (after?.bytes.length ?? 0);
      const seen = shown.files[index] ?? { path: '', action: 'unchanged', added: 0, removed: 0 };
      const { root, names } = path;
      files.push({
        ...seen,
        root,
        names: [...names],
        before: storedState(before),
        after: storedState(after),
      });
    }
    const folders = head.folders.map(({ root, names }) => ({ root, names: [...names] }));
    const record = { ...head, folders, bytes, files, diff: shown.diff, isApplied: false };
    await this.#write(record);
    await writeDurably(this.#pending, head.id);
    return record;
  }

  async finish(record: ChangeRecord): Promise<void> {
    await this.#write({ ...record, isApplied: true });
    await rm(this.#pending, { force: true });
  }

  async drop({ id }: Pick<ChangeRecord, 'id'>): Promise<void> {
    await rm(this.#pending, { force: true });
    await rm(join(this.#folder, id), { recursive: true, force: true });
  }

  /** All that were applied, oldest first. */
  async applied(): Promise<ChangeRecord[]> {
    const names = (await readdir(this.#folder).catch(ignoreMissing)) ?? [];
    const records = await Promise.all(names.sort().map((id) => this.find(id)));
    return records.filter((record) => record?.isApplied === true).filter((it) => it !== undefined);
  }

  async find(id: string): Promise<ChangeRecord | undefined> {
    if (!/^[0-9a-z-]+$/.test(id)) return undefined;
    const text = await readFile(join(this.#folder, id, 'record.json'), 'utf8').catch(ignoreMissing);
    if (text === undefined) return undefined;
    return recordSchema.safeParse(JSON.parse(text)).data;
  }

  /** A file of a change as it was before or after it, null where it did not exist. */
  async content(
    record: ChangeRecord,
    index: number,
    side: 'before' | 'after',
  ): Promise<FileState | null> {
    const stored = record.files[index]?.[side];
    if (!stored) return null;
    const bytes = await readFile(join(this.#folder, record.id, `${side}-${index}`));
    return { bytes, mode: stored.mode, uid: stored.uid, gid: stored.gid };
  }

  /** Removes what exceeds the limits, oldest first, and what was never applied. */
  async prune(nowMs: number): Promise<void> {
    const records = await this.applied();
    const names = (await readdir(this.#folder).catch(ignoreMissing)) ?? [];
    let bytes = 0;
    const kept = new Set<string>();
    for (const record of records.toReversed()) {
      bytes += record.bytes;
      const isOld = nowMs - record.atMs > undoLimits.maxAgeMs;
      if (isOld || bytes > undoLimits.maxBytes || kept.size >= undoLimits.maxChanges) break;
      kept.add(record.id);
    }
    for (const name of names) {
      if (!kept.has(name)) await rm(join(this.#folder, name), { recursive: true, force: true });
    }
  }

  async #write(record: ChangeRecord): Promise<void> {
    const path = join(this.#folder, record.id, 'record.json');
    await writeDurably(path, JSON.stringify(record));
  }
}

function storedState(given: FileState | null): z.output<typeof state> {
  if (!given) return null;
  const { mode, uid, gid } = given;
  return { hash: stateHash(given) ?? '', mode, uid, gid };
}

/** Replaces a file as a whole; it is on the disk when this returns. */
export async function writeDurably(path: string, data: string | Buffer): Promise<void> {
  const temporary = `${path}.new`;
  await writeFile(temporary, data, { mode: 0o600, flush: true });
  await rename(temporary, path);
  const folder = await open(join(path, '..'));
  // Not every system lets a folder be flushed.
  await folder.sync().catch(() => {});
  await folder.close();
}
