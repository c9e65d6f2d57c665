import { basename, dirname } from 'node:path';
import { findNamedFiles, type NamedFile } from '../dependencies/find-named-files.ts';
import { NoFilesError } from '../errors.ts';
import type { SourceFiles } from '../source-files.ts';
import { LockfileUnknownError, TooManyPackagesError } from './errors.ts';
import type { LockedPackage, ParsedLockfile, SkippedPackage } from './locked-package.ts';
import { lockfileNames, loadLockfileParser } from './lockfiles/lockfile-formats.ts';

/** A lock file with what it fixes; paths of dependencies are worked out. */
export interface Lockfile {
  readonly path: string;
  readonly packages: readonly FoundPackage[];
  readonly skipped: readonly SkippedPackage[];
}

export interface FoundPackage extends LockedPackage {
  /** From a direct dependency down to this package, where the lock file tells. */
  readonly dependencyPath?: readonly string[] | undefined;
}

export interface LockfileRequest {
  readonly path?: string | undefined;
  readonly code?: string | undefined;
  readonly lockfile?: string | undefined;
}

const maxLockfiles = 200;
const maxPackages = 50_000;

/** Finds and reads the lock files a call is about: a text with its name, a file, a folder or a glob. */
export async function readLockfiles(
  sources: SourceFiles,
  request: LockfileRequest,
  signal: AbortSignal,
): Promise<readonly Lockfile[]> {
  if (request.code !== undefined) {
    return [await readOne(request.code, request.lockfile ?? '')];
  }
  const files = await findLockfiles(sources, request.path ?? '.');
  if (files.length > maxLockfiles) {
    throw new TooManyPackagesError(files.length, 'lock files', maxLockfiles);
  }
  const read: Lockfile[] = [];
  let total = 0;
  for (const file of files) {
    signal.throwIfAborted();
    const lockfile = await readOne(await sources.readText(file.absolutePath, file.path), file.path);
    total += lockfile.packages.length;
    if (total > maxPackages) throw new TooManyPackagesError(total, 'packages', maxPackages);
    read.push(lockfile);
  }
  return read;
}

async function findLockfiles(sources: SourceFiles, given: string): Promise<readonly NamedFile[]> {
  const folder = await sources.findFolder(given).catch(() => undefined);
  const files =
    folder === undefined
      ? await sources.findPaths(given, [])
      : await findNamedFiles(sources, given, [...lockfileNames, 'requirements*.txt']).catch(
          (error: unknown) => {
            const isNone = error instanceof NoFilesError && error.details['reason'] === 'no match';
            throw isNone ? new NoFilesError(given, 'no lock file') : error;
          },
        );
  const known = files.filter(({ path }) => isLockfile(basename(path)));
  if (known.length === 0) throw new LockfileUnknownError(given, lockfileNames);
  return withoutGoSum(known);
}

function isLockfile(name: string): boolean {
  return lockfileNames.includes(name) || /^requirements[\w.-]*\.txt$/.test(name);
}

/** go.sum also names versions that are not built; beside a go.mod it would only add noise. */
function withoutGoSum(files: readonly NamedFile[]): readonly NamedFile[] {
  const folders = new Set(
    files
      .filter(({ path }) => basename(path) === 'go.mod')
      .map(({ absolutePath }) => dirname(absolutePath)),
  );
  return files.filter(
    ({ path, absolutePath }) => basename(path) !== 'go.sum' || !folders.has(dirname(absolutePath)),
  );
}

async function readOne(text: string, path: string): Promise<Lockfile> {
  const parse = await loadLockfileParser(basename(path));
  if (!parse) throw new LockfileUnknownError(path, lockfileNames);
  const parsed = parse(text, path);
  if (parsed.packages.length > maxPackages) {
    throw new TooManyPackagesError(parsed.packages.length, 'packages', maxPackages);
  }
  return { path, packages: withPaths(parsed), skipped: parsed.skipped };
}

/** Shortest way from the project to each package, breadth first over what entries require. */
function withPaths(parsed: ParsedLockfile): readonly FoundPackage[] {
  const { packages, rootKeys } = parsed;
  if (rootKeys === undefined) return packages;
  const byKey = new Map(packages.map((entry) => [entry.key, entry]));
  const parent = new Map<string, string | undefined>();
  const queue = [...new Set(rootKeys)].filter((key) => byKey.has(key));
  for (const key of queue) parent.set(key, undefined);
  for (const key of queue) {
    for (const required of byKey.get(key)?.requires ?? []) {
      if (parent.has(required) || !byKey.has(required)) continue;
      parent.set(required, key);
      queue.push(required);
    }
  }
  return packages.map((entry) => {
    if (entry.key === undefined || !parent.has(entry.key)) return entry;
    const path: string[] = [];
    for (let key: string | undefined = entry.key; key !== undefined; key = parent.get(key)) {
      path.unshift(byKey.get(key)?.name ?? key);
    }
    return { ...entry, direct: path.length === 1, dependencyPath: path };
  });
}
