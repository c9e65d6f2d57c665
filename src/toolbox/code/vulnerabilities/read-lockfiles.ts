import { basename, dirname } from 'node:path';
import { LockfileUnknownError, NoFilesError, TooManyPackagesError } from '../errors.ts';
import type { SourceFiles } from '../source-files.ts';
import type {
  LockedPackage,
  ParsedLockfile,
  SkippedPackage,
  LockfileParser,
} from './locked-package.ts';
import { findNamedFiles, type NamedFile } from '../dependencies/find-project.ts';

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

interface LockfileRequest {
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
      : ((await findFiles(sources, given, [...lockfileNames, 'requirements*.txt'])) ??
        (await findFiles(sources, given, manifestNames)));
  if (files === undefined) throw new NoFilesError(given, 'no lock file');
  const read = files.filter(({ path }) => isRead(basename(path)));
  const locked = read.filter(({ path }) => !manifestNames.includes(basename(path)));
  const known = locked.length > 0 ? locked : read;
  if (known.length === 0) throw new LockfileUnknownError(given, lockfileNames);
  return withoutGoSum(known);
}

/** The files of these names below a folder; `undefined` where there is none. */
async function findFiles(
  sources: SourceFiles,
  folder: string,
  names: readonly string[],
): Promise<readonly NamedFile[] | undefined> {
  return findNamedFiles(sources, folder, names).catch((error: unknown) => {
    if (error instanceof NoFilesError && error.details['reason'] === 'no match') return undefined;
    throw error;
  });
}

function isRead(name: string): boolean {
  return formats.has(name) || /^requirements[\w.-]*\.txt$/.test(name);
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

const npm = async () => (await import('./lockfiles/package-lock.ts')).parsePackageLock;
const poetry = async () => (await import('./lockfiles/toml-lock.ts')).parsePythonLock;
const gradle = async () => (await import('./lockfiles/pom.ts')).parseGradleLockfile;

/** The readers by file name, loaded when first needed. */
const formats: ReadonlyMap<string, () => Promise<LockfileParser>> = new Map([
  ['package-lock.json', npm],
  ['npm-shrinkwrap.json', npm],
  ['yarn.lock', async () => (await import('./lockfiles/yarn-lock.ts')).parseYarnLock],
  ['pnpm-lock.yaml', async () => (await import('./lockfiles/pnpm-lock.ts')).parsePnpmLock],
  ['requirements.txt', async () => (await import('./lockfiles/requirements.ts')).parseRequirements],
  ['poetry.lock', poetry],
  ['pdm.lock', poetry],
  ['uv.lock', async () => (await import('./lockfiles/toml-lock.ts')).parseUvLock],
  ['Pipfile.lock', async () => (await import('./lockfiles/requirements.ts')).parsePipfileLock],
  ['go.mod', async () => (await import('./lockfiles/go-mod.ts')).parseGoMod],
  ['go.sum', async () => (await import('./lockfiles/go-mod.ts')).parseGoSum],
  ['Cargo.lock', async () => (await import('./lockfiles/toml-lock.ts')).parseCargoLock],
  ['pom.xml', async () => (await import('./lockfiles/pom.ts')).parsePom],
  ['gradle.lockfile', gradle],
  ['buildscript-gradle.lockfile', gradle],
  ['pyproject.toml', async () => (await import('./lockfiles/manifests.ts')).parsePyproject],
  ['package.json', async () => (await import('./lockfiles/manifests.ts')).parsePackageJson],
]);

/** Read where a project has no lock file: what they pin to one version can be looked up. */
const manifestNames: readonly string[] = ['pyproject.toml', 'package.json'];

/** Every lock file that is read. `requirements-dev.txt` and the like count as requirements.txt. */
export const lockfileNames: readonly string[] = [...formats.keys()].filter(
  (name) => !manifestNames.includes(name),
);

/** The reader for a file of this name, or `undefined` when it is no lock file. */
export async function loadLockfileParser(name: string): Promise<LockfileParser | undefined> {
  return formats.get(/^requirements[\w.-]*\.txt$/.test(name) ? 'requirements.txt' : name)?.();
}
