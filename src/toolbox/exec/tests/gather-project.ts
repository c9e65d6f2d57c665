import { readdir } from 'node:fs/promises';
import { basename, dirname, join, posix, relative } from 'node:path';
import { AppError } from '../../../kernel/index.ts';
import { NoFilesError } from '../../code/errors.ts';
import { SourceFiles } from '../../code/source-files.ts';
import { ProjectTooLargeError } from '../errors.ts';
import type { Project, ProjectDependencies } from './project.ts';

/** What of a project goes into the sandbox at most. */
export interface ProjectLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
}

export const defaultProjectLimits: ProjectLimits = {
  maxFiles: 5_000,
  maxFileBytes: 16 * 1024 * 1024,
  maxTotalBytes: 64 * 1024 * 1024,
};

/** Installed, built and cached files: large, and reproducible from the rest. */
const leftOutFolders: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  '.venv',
  'venv',
  'target',
  'dist',
  'coverage',
  'htmlcov',
  '__pycache__',
  '.tox',
  '.nox',
  '.gradle',
  '.next',
  '.cache',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.tutti',
]);

/** Secrets of the user: never copied into a sandbox. */
const leftOutFiles: ReadonlySet<string> = new Set([
  '.env',
  '.env.local',
  '.npmrc',
  '.pypirc',
  '.netrc',
]);

const maxDepth = 50;

/**
 * Reads a project inside the allowed roots. A file or folder inside a project stands for the tests in it: the whole project is read, because tests
 * import from it, without its other tests. Links to files are followed as far as they stay inside; links to folders are not. Throws
 * `exec.project_too_large` and what reading a path throws.
 */
export async function gatherProject(given: string, options: GatherOptions): Promise<Project> {
  const sources = new SourceFiles(options.roots, options.limits ?? defaultProjectLimits);
  const { folder, notes, file } = await findProjectFolder(sources, given);
  const root = await findProjectRoot(sources, folder, file);
  const isPart = root !== undefined && (root !== folder || file !== undefined);
  if (!isPart) return gather(sources, { given, folder, notes }, options);
  try {
    const whole = await gather(sources, { given, folder: root, notes: [] }, options);
    return onlyTestsIn(whole, relative(root, file ?? folder), given);
  } catch (error) {
    if (!(error instanceof ProjectTooLargeError)) throw error;
    return gather(sources, { given, folder, notes }, options);
  }
}

/** Reads a folder, or the one a file is in, and nothing around it. */
export async function gatherFolder(given: string, options: GatherOptions): Promise<Project> {
  const sources = new SourceFiles(options.roots, options.limits ?? defaultProjectLimits);
  return gather(sources, { given, ...(await findProjectFolder(sources, given)) }, options);
}

async function gather(
  sources: SourceFiles,
  { given, folder, notes }: { given: string; folder: string; notes: readonly string[] },
  { limits = defaultProjectLimits, signal }: GatherOptions,
): Promise<Project> {
  const walk = new ProjectWalk(sources, { given, folder, limits });
  for (let next = walk.next(); next !== undefined; next = walk.next()) {
    signal.throwIfAborted();
    await walk.visit(next);
  }
  return {
    files: walk.files,
    notes: [...notes, ...walk.notes],
    dependencies: await findDependencies(sources, folder),
  };
}

/** What the folder of a project holds, by the endings of its files. */
const manifests: readonly (readonly [endings: RegExp, names: RegExp])[] = [
  [/\.py$/u, /^(?:pyproject\.toml|setup\.(?:py|cfg)|pytest\.ini|tox\.ini|requirements\.txt)$/u],
  [/\.[cm]?[jt]sx?$/u, /^package\.json$/u],
  [/\.go$/u, /^go\.mod$/u],
  [/\.rs$/u, /^Cargo\.toml$/u],
  [/\.java$/u, /^(?:pom\.xml|build\.gradle(?:\.kts)?)$/u],
];

/** The nearest folder with a manifest for a file, or for a folder of tests; undefined for other folders and where there is none inside the roots. */
async function findProjectRoot(
  sources: SourceFiles,
  folder: string,
  file: string | undefined,
): Promise<string | undefined> {
  const isOfTests = /\/(?:tests?|specs?|__tests__)(?:\/|$)/u.test(folder);
  if (file === undefined && !isOfTests) return undefined;
  const own = file === undefined ? await readdir(folder) : [file];
  const wanted = manifests.filter(([endings]) => own.some((name) => endings.test(name)));
  for (const parent of ancestors(folder)) {
    if ((await firstFolder(sources, [parent])) === undefined) return undefined;
    const names = await readdir(parent);
    if (names.some((name) => wanted.some(([, known]) => known.test(name)))) return parent;
  }
  return undefined;
}

const testFile =
  /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.(?:py|go)$|(?:^|\/)[^/]*[.\-_](?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)(?:tests?|__tests__)\/[^/]*\.[cm]?[jt]sx?$|Tests?\.java$/u;

/** A source file stands for the tests that are named after it, or all where none is. */
function onlyTestsIn(project: Project, part: string, given: string): Project {
  const tests = Object.keys(project.files).filter((path) => testFile.test(path));
  const named = tests.filter((path) => stemOf(path) === stemOf(part));
  const isFolder = !Object.hasOwn(project.files, part);
  const isSource = !isFolder && !testFile.test(part);
  // Test files of one Go package are compiled together.
  const isIn = (path: string): boolean =>
    part.endsWith('.go')
      ? posix.dirname(path) === posix.dirname(part)
      : path === part || (isFolder && (part === '' || path.startsWith(`${part}/`)));
  const wanted = isSource && named.length > 0 ? named : tests.filter(isIn);
  const kept = new Set(wanted.length === 0 && isSource ? tests : wanted);
  const files = Object.entries(project.files).filter(
    ([path]) => kept.has(path) || !testFile.test(path),
  );
  const note = kept.size < tests.length ? [`ran the tests of "${given}" only`] : [];
  return { ...project, files: Object.fromEntries(files), notes: [...note, ...project.notes] };
}

/** `cart` of `test_cart.py`, `cart_test.go`, `cart.spec.ts`, `CartTest.java`. */
function stemOf(path: string): string {
  const [name = ''] = posix.basename(path).split('.');
  return name.replaceAll(/^test_|[-_]test$|Tests?$/gu, '').toLowerCase();
}

async function findProjectFolder(
  sources: SourceFiles,
  given: string,
): Promise<{ readonly folder: string; readonly notes: readonly string[]; readonly file?: string }> {
  try {
    return { folder: await sources.findFolder(given), notes: [] };
  } catch (error) {
    if (!(error instanceof NoFilesError && error.details['reason'] === 'no folder')) throw error;
    const notes = [`"${given}" is a file: the tests in its folder were run`];
    const folder = await sources.findFolder(dirname(given));
    return { folder, notes, file: join(folder, basename(given)) };
  }
}

export interface GatherOptions {
  readonly roots: readonly string[];
  readonly signal: AbortSignal;
  readonly limits?: ProjectLimits;
}

interface Walked {
  readonly given: string;
  readonly folder: string;
  readonly limits: ProjectLimits;
}

class ProjectWalk {
  readonly files: Record<string, Uint8Array> = Object.create(null);
  readonly notes: string[] = [];
  readonly #sources: SourceFiles;
  readonly #walked: Walked;
  readonly #pending: string[] = [''];
  #count = 0;
  #bytes = 0;

  constructor(sources: SourceFiles, walked: Walked) {
    this.#sources = sources;
    this.#walked = walked;
  }

  next(): string | undefined {
    return this.#pending.pop();
  }

  /** One folder, by its path below the project's. */
  async visit(path: string): Promise<void> {
    const entries = await readdir(join(this.#walked.folder, path), { withFileTypes: true });
    const isEnvironment = path !== '' && entries.some(({ name }) => name === 'pyvenv.cfg');
    if (isEnvironment || path.split('/').length > maxDepth) return;
    for (const entry of entries) {
      const own = path === '' ? entry.name : `${path}/${entry.name}`;
      if (leftOutFolders.has(entry.name)) continue;
      if (entry.isDirectory()) this.#pending.push(own);
      else if (entry.isFile() || entry.isSymbolicLink()) await this.#take(own, entry.name);
    }
  }

  async #take(path: string, name: string): Promise<void> {
    const { given, folder, limits } = this.#walked;
    if (leftOutFiles.has(name)) return;
    this.#count += 1;
    if (this.#count > limits.maxFiles)
      throw new ProjectTooLargeError(given, 'files', limits.maxFiles);
    try {
      const bytes = await this.#sources.readBytes(join(folder, path), path);
      this.#bytes += bytes.length;
      this.files[path] = bytes;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (this.notes.length < maxNotes) this.notes.push(`left out: ${error.message}`);
    }
    if (this.#bytes > limits.maxTotalBytes) {
      throw new ProjectTooLargeError(given, 'bytes', limits.maxTotalBytes);
    }
  }
}

const maxNotes = 10;

async function findDependencies(
  sources: SourceFiles,
  folder: string,
): Promise<ProjectDependencies> {
  const nodeModules = await firstFolder(
    sources,
    ancestors(folder).map((parent) => join(parent, 'node_modules')),
  );
  for (const name of ['.venv', 'venv']) {
    const library = await firstFolder(sources, [join(folder, name, 'lib')]);
    if (library === undefined) continue;
    const versions = (await readdir(library)).filter((entry) => /^python3\.\d{1,3}$/.test(entry));
    const folders = versions.map((version) => join(library, version, 'site-packages'));
    return { nodeModules, sitePackages: await firstFolder(sources, folders) };
  }
  return { nodeModules, sitePackages: undefined };
}

/** The first that is a folder inside the roots; folders outside are skipped. */
async function firstFolder(
  sources: SourceFiles,
  folders: readonly string[],
): Promise<string | undefined> {
  for (const folder of folders) {
    const found = await sources.findFolder(folder).catch((error: unknown) => {
      if (error instanceof AppError) return undefined;
      throw error;
    });
    if (found !== undefined) return found;
  }
  return undefined;
}

function ancestors(folder: string): string[] {
  const found = [folder];
  for (let at = folder; at !== dirname(at) && found.length < maxDepth; at = dirname(at)) {
    found.push(dirname(at));
  }
  return found;
}
