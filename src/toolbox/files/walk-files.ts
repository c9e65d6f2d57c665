import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { readRegularFile } from '../../kernel/index.ts';
import ignorePackage, { type Ignore } from 'ignore';

/** An entry below the walked folder. Symbolic links are listed, never followed. */
export interface WalkedFile {
  /** Relative to the walked folder, with `/` on every system. */
  readonly path: string;
  readonly kind: 'file' | 'link' | 'other';
}

export interface WalkOptions {
  readonly signal: AbortSignal;
  /** Also list what `.gitignore` files exclude. Off by default. */
  readonly includeIgnored?: boolean;
  /** Leaves out an entry, folders with all below them. `path` is relative to the walked folder. */
  readonly skip?: (path: string) => boolean;
  /** Told of each file or folder that is left out, except by `skip`. */
  readonly onLeftOut?: (entry: LeftOutEntry) => void;
}

export interface LeftOutEntry {
  /** Relative to the walked folder, with `/` on every system. */
  readonly path: string;
  readonly isFolder: boolean;
  /** `ignored` by Git; `foreign`: version control, installed packages, caches; `unreadable` folders. */
  readonly reason: 'ignored' | 'foreign' | 'unreadable';
}

/** Version control, installed packages and caches: never the user's own text. */
const skippedFolders: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  '.venv',
  '__pycache__',
]);

const maxDepth = 64;

/**
 * Every file below a folder in a stable order, except what Git ignores: the `.gitignore` files in the
 * folder, below it and above it up to the top of the repository, and `.git/info/exclude`. Works the same
 * without Git and outside a repository. Unlike Git it also leaves out ignored files that are tracked.
 */
export async function* walkFiles(
  folder: string,
  options: WalkOptions,
): AsyncGenerator<WalkedFile, void, undefined> {
  const rules = options.includeIgnored === true ? [] : await rulesAbove(folder);
  yield* walk({ folder, path: '', depth: 0, rules }, options);
}

/** Patterns of one `.gitignore`, and the folder they are relative to. */
interface Rules {
  readonly folder: string;
  readonly patterns: Ignore;
}

interface Visit {
  readonly folder: string;
  readonly path: string;
  readonly depth: number;
  readonly rules: readonly Rules[];
}

async function* walk(
  visit: Visit,
  options: WalkOptions,
): AsyncGenerator<WalkedFile, void, undefined> {
  options.signal.throwIfAborted();
  const { folder, path, depth } = visit;
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => {
    options.onLeftOut?.({ path, isFolder: true, reason: 'unreadable' });
    return [];
  });
  const own = options.includeIgnored === true ? undefined : await readRules(folder, '.gitignore');
  const rules = own ? [...visit.rules, own] : visit.rules;
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = { folder: join(folder, entry.name), path: joined(path, entry.name) };
    const isFolder = entry.isDirectory();
    if (options.skip?.(inner.path) === true) continue;
    const reason = reasonToLeaveOut({ ...inner, name: entry.name, isFolder, depth, rules });
    if (reason !== undefined) options.onLeftOut?.({ path: inner.path, isFolder, reason });
    else if (isFolder) yield* walk({ ...inner, depth: depth + 1, rules }, options);
    else yield { path: inner.path, kind: kindOf(entry) };
  }
}

function reasonToLeaveOut(
  entry: Visit & { readonly name: string; readonly isFolder: boolean },
): LeftOutEntry['reason'] | undefined {
  const { name, isFolder, depth, rules, folder } = entry;
  if (isFolder && (skippedFolders.has(name) || depth >= maxDepth)) return 'foreign';
  return isIgnored(rules, folder, isFolder) ? 'ignored' : undefined;
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}

function kindOf(entry: Dirent): WalkedFile['kind'] {
  if (entry.isFile()) return 'file';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

/** The deepest file that says anything about a path decides, as in Git. */
function isIgnored(rules: readonly Rules[], path: string, isFolder: boolean): boolean {
  for (const { folder, patterns } of rules.toReversed()) {
    const local = relative(folder, path).replaceAll(sep, '/');
    const verdict = patterns.test(isFolder ? `${local}/` : local);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

/** What the repository around a folder ignores; empty outside a repository. */
async function rulesAbove(folder: string): Promise<Rules[]> {
  const above: string[] = [];
  for (let at = folder; above.length < maxDepth; at = dirname(at)) {
    if (at !== folder) above.unshift(at);
    if (await exists(join(at, '.git'))) {
      const files = await Promise.all(above.map((each) => readRules(each, '.gitignore')));
      const exclude = await readRules(at, join('.git', 'info', 'exclude'));
      return [exclude, ...files].filter((rules) => rules !== undefined);
    }
    if (at === dirname(at)) return [];
  }
  return [];
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Files with more rules than this are ignored themselves. */
const maxRulesBytes = 1_048_576;

async function readRules(folder: string, name: string): Promise<Rules | undefined> {
  const limits = { maxBytes: maxRulesBytes, inside: [folder] };
  const read = readRegularFile(join(folder, name), limits);
  const text = await read.then(String, () => undefined);
  return text === undefined ? undefined : { folder, patterns: ignorePackage.default().add(text) };
}
