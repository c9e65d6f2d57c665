import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ModelFile } from '../../../contract/ml/index.ts';
import { type FaultPoint, recordOf } from '../../../kernel/index.ts';

/**
 * Folders that are complete or absent:
 *
 * 1. Files are written to `NAME.partial`, each flushed to the disk.
 * 2. The manifest with their digests is written last; then the folder gets its name, and the parent is flushed.
 * 3. Only a folder whose manifest fits every byte in it is read. What does not fit is passed over, never repaired.
 */
export interface StoredFolder {
  readonly folder: string;
  readonly step: number;
  readonly bytes: number;
  /** Of the manifest. */
  readonly sha256: string;
  readonly files: readonly ModelFile[];
}

interface Manifest {
  readonly job: string;
  readonly step: number;
  readonly files: readonly ModelFile[];
}

const manifestName = 'manifest.json';
const partialEnding = '.partial';
/** Programs in the sandbox run as another user when Tutti is root. */
const [folderMode, fileMode] = [0o755, 0o644];

/** Receives the files of one folder; nothing of it counts before `commit`. */
export class FolderWriter {
  /** Where files arrive. */
  readonly #partial: string;
  readonly #faults: FaultPoint;
  readonly #files: ModelFile[] = [];
  #isStarted = false;

  constructor(name: string, faults: FaultPoint) {
    this.#partial = name + partialEnding;
    this.#faults = faults;
  }

  /** Opens a file to be filled. */
  async add(name: string): Promise<FileWriter> {
    const folder = this.#partial;
    if (!this.#isStarted) {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true, mode: folderMode });
      await chmod(folder, folderMode);
      this.#isStarted = true;
      this.#faults('folder made');
    }
    const file = await open(join(folder, name), 'wx', fileMode);
    await file.chmod(fileMode);
    const hash = createHash('sha256');
    let bytes = 0;
    return {
      write: async (piece) => {
        hash.update(piece);
        bytes += piece.length;
        await file.writeFile(piece);
        this.#faults('piece written');
      },
      end: async () => {
        await file.sync();
        await file.close();
        const written = { name, sha256: hash.digest('hex'), bytes };
        this.#files.push(written);
        this.#faults('file written');
        return written;
      },
    };
  }

  /** Gives the folder its name; what was there before is replaced. */
  async commit(job: string, step: number, target: string): Promise<StoredFolder> {
    const partial = this.#partial;
    const manifest: Manifest = { job, step, files: this.#files };
    await writeDurably(join(partial, manifestName), JSON.stringify(manifest, null, 2));
    this.#faults('manifest written');
    await syncFolder(partial);
    await rm(target, { recursive: true, force: true });
    await rename(partial, target);
    this.#faults('folder renamed');
    await syncFolder(dirname(target));
    this.#faults('parent flushed');
    return describe(target, manifest);
  }

  async drop(): Promise<void> {
    await rm(this.#partial, { recursive: true, force: true });
  }
}

export interface FileWriter {
  write(piece: Uint8Array): Promise<void>;
  end(): Promise<ModelFile>;
}

/** What is wrong with a folder, or the folder. */
export type CheckedFolder =
  | { readonly kind: 'verified'; readonly job: string; readonly stored: StoredFolder }
  | { readonly kind: 'damaged'; readonly reason: string };

/** Reads and checks every byte. */
export async function checkFolder(folder: string): Promise<CheckedFolder> {
  const manifest = await readManifest(join(folder, manifestName));
  if (manifest === null) return { kind: 'damaged', reason: 'its manifest is missing or torn' };
  for (const { name, sha256 } of manifest.files) {
    const found = await hashFile(join(folder, name)).catch(() => null);
    if (found === null) return { kind: 'damaged', reason: `${name} is missing` };
    if (found.sha256 !== sha256) return { kind: 'damaged', reason: `${name} has other bytes` };
  }
  return { kind: 'verified', job: manifest.job, stored: describe(folder, manifest) };
}

const stepFolder = /^step-(\d{1,12})$/;

export function stepFolderName(step: number): string {
  return `step-${String(step).padStart(8, '0')}`;
}

/** Folders of checkpoints, newest first. */
export async function listSteps(parent: string): Promise<string[]> {
  const names = await readdir(parent).catch((): string[] => []);
  return names
    .filter((name) => stepFolder.test(name))
    .sort()
    .toReversed();
}

/** Removes all but the newest, and what an interrupted write left. */
export async function keepNewest(parent: string, keep: number): Promise<void> {
  for (const name of (await listSteps(parent)).slice(keep)) {
    // Without its manifest it is no checkpoint any more, whenever this is interrupted.
    await rm(join(parent, name, manifestName), { force: true });
    await rm(join(parent, name), { recursive: true, force: true });
  }
}

export async function removePartial(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch((): string[] => [])) {
    if (name.endsWith(partialEnding))
      await rm(join(parent, name), { recursive: true, force: true });
  }
}

export async function hashFile(path: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of createReadStream(path)) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

function describe(folder: string, manifest: Manifest): StoredFolder {
  const sha256 = createHash('sha256')
    .update(JSON.stringify(manifest, null, 2))
    .digest('hex');
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  return { folder, step: manifest.step, bytes, sha256, files: manifest.files };
}

async function readManifest(path: string): Promise<Manifest | null> {
  try {
    const { job, step, files } = recordOf(JSON.parse(await readFile(path, 'utf8')));
    if (typeof job !== 'string' || typeof step !== 'number' || !Array.isArray(files)) return null;
    return files.every(isFile) ? { job, step, files } : null;
  } catch {
    return null;
  }
}

function isFile(value: unknown): value is ModelFile {
  const { name, sha256, bytes } = recordOf(value);
  return (
    typeof name === 'string' &&
    isPlainName(name) &&
    typeof sha256 === 'string' &&
    typeof bytes === 'number'
  );
}

/** A name of a file that stays in its folder. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(name) && name !== manifestName;
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', fileMode);
  try {
    await file.writeFile(text);
    await file.chmod(fileMode);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
