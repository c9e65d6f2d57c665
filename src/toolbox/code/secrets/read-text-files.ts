import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, matchesGlob, normalize, relative, sep } from 'node:path';
import { liesInside, readFileStart, readRegularFile } from '../../../kernel/index.ts';
import { walkFiles, type LeftOutEntry } from '../../files/walk-files.ts';
import { NoFilesError, TooMuchSourceError } from '../errors.ts';
import type { SourceFiles } from '../source-files.ts';

/** A text file to be looked through. */
export interface TextFile {
  readonly path: string;
  /** Git ignores it: it is looked through all the same, because people keep secrets in such files. */
  readonly isIgnored: boolean;
  read(): Promise<string>;
}

export const skipReasons = [
  'foreign',
  'binary',
  'too_large',
  'link',
  'excluded',
  'unreadable',
  'too_many',
] as const;

/** A file or folder that is not looked through. */
export interface SkippedPath {
  readonly path: string;
  readonly reason: (typeof skipReasons)[number];
}

export interface TextFiles {
  readonly files: readonly TextFile[];
  readonly skipped: readonly SkippedPath[];
}

const maxFiles = 20_000;
const maxFileBytes = 10 * 1024 * 1024;
const probeBytes = 8_000;

/**
 * Every text file behind a path, folder or glob inside the roots, whatever its ending, hidden and ignored ones
 * included. All that is not looked through is named with its reason.
 */
export async function readTextFiles(
  given: string,
  sources: SourceFiles,
  signal: AbortSignal,
): Promise<TextFiles> {
  const folder = await findFolder(given, sources);
  const { paths, skipped } = await listPaths({ folder, given }, sources, signal);
  const files: TextFile[] = [];
  for (const path of paths) {
    signal.throwIfAborted();
    const reason = await reasonToSkip(path.absolutePath, folder);
    if (reason !== undefined) skipped.push({ path: path.path, reason });
    else files.push(textFile(path));
  }
  return { files, skipped };
}

interface ListedPath {
  readonly path: string;
  readonly absolutePath: string;
  readonly isIgnored?: boolean;
}

function textFile({ path, absolutePath, isIgnored = false }: ListedPath): TextFile {
  return { path, isIgnored, read: () => readText(absolutePath) };
}

async function findFolder(given: string, sources: SourceFiles): Promise<string | undefined> {
  try {
    return await sources.findFolder(given);
  } catch (error) {
    if (error instanceof NoFilesError) return undefined;
    throw error;
  }
}

interface Listing {
  readonly paths: readonly ListedPath[];
  readonly skipped: SkippedPath[];
}

async function listPaths(
  { folder, given }: { readonly folder: string | undefined; readonly given: string },
  sources: SourceFiles,
  signal: AbortSignal,
): Promise<Listing> {
  if (folder !== undefined) return listFolder({ folder, given }, sources, signal);
  if (await sources.exists(given))
    return { paths: await sources.findPaths(given, []), skipped: [] };
  if (!/[*?{[]/.test(given)) throw new NoFilesError(given, 'missing');
  const listings = sources.roots.map(async (root) => {
    const inside = await listFolder({ folder: root, given }, sources, signal);
    const pattern = isAbsolute(given) ? relative(root, given) : given;
    const isMeant = ({ path }: { readonly path: string }): boolean =>
      matchesGlob(undotted(path), undotted(normalize(pattern)));
    return {
      paths: inside.paths.filter(isMeant),
      skipped: inside.skipped.filter((one) => isMeant(one) || one.reason === 'foreign'),
    };
  });
  const all = await Promise.all(listings);
  const paths = all.flatMap((listing) => listing.paths);
  if (paths.length === 0) throw new NoFilesError(given, 'no match');
  return { paths, skipped: all.flatMap((listing) => listing.skipped) };
}

/** Wildcards pass over hidden files by their first character, and secrets are kept in hidden files. */
function undotted(path: string): string {
  return path.replaceAll(sep, '/').replaceAll(/(^|\/)\./g, '$1_');
}

async function listFolder(
  { folder, given }: { readonly folder: string; readonly given: string },
  sources: SourceFiles,
  signal: AbortSignal,
): Promise<Listing> {
  const paths: ListedPath[] = [];
  const skipped: SkippedPath[] = [];
  const ignored: LeftOutEntry[] = [];
  const onLeftOut = (entry: LeftOutEntry): void => {
    const { path, reason } = entry;
    if (reason === 'ignored') ignored.push(entry);
    else skipped.push({ path, reason });
  };
  for await (const { path, kind } of walkFiles(folder, { signal, onLeftOut })) {
    const absolutePath = join(folder, path);
    if (sources.isExcluded(absolutePath)) skipped.push({ path, reason: 'excluded' });
    else if (kind === 'file') paths.push({ path, absolutePath });
    else if (kind === 'link' && (await leaves(absolutePath, folder))) {
      skipped.push({ path, reason: 'link' });
    }
    if (paths.length > maxFiles) throw new TooMuchSourceError(given, 'files', maxFiles);
  }
  for (const entry of ignored) {
    const more = await listIgnored(folder, entry, { signal, room: maxFiles - paths.length });
    for (const path of more.paths) {
      if (sources.isExcluded(path.absolutePath))
        skipped.push({ path: path.path, reason: 'excluded' });
      else paths.push(path);
    }
    skipped.push(...more.skipped);
  }
  if (paths.length === 0 && skipped.length === 0) throw new NoFilesError(given, 'no file');
  const place = await sources.placeOf(folder);
  const placed = <Path extends { readonly path: string }>(one: Path): Path => ({
    ...one,
    path: join(place, one.path),
  });
  const sorted = paths.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { paths: sorted.map(placed), skipped: skipped.map(placed) };
}

/** What lies behind an entry that Git ignores; a folder with more than `room` files is named as not read. */
async function listIgnored(
  folder: string,
  entry: LeftOutEntry,
  { signal, room }: { readonly signal: AbortSignal; readonly room: number },
): Promise<{ readonly paths: readonly ListedPath[]; readonly skipped: readonly SkippedPath[] }> {
  const at = (path: string): ListedPath => ({
    path,
    absolutePath: join(folder, path),
    isIgnored: true,
  });
  if (!entry.isFolder) return { paths: [at(entry.path)], skipped: [] };
  const paths: ListedPath[] = [];
  const skipped: SkippedPath[] = [];
  const options = {
    signal,
    includeIgnored: true,
    onLeftOut: ({ path }: LeftOutEntry): void =>
      void skipped.push({ path: `${entry.path}/${path}`, reason: 'foreign' }),
  };
  for await (const { path, kind } of walkFiles(join(folder, entry.path), options)) {
    if (kind === 'file') paths.push(at(`${entry.path}/${path}`));
    if (paths.length > room) {
      return { paths: [], skipped: [{ path: entry.path, reason: 'too_many' }] };
    }
  }
  return { paths, skipped };
}

/** Whether a link leads out of a folder; one to nothing does not. */
async function leaves(link: string, folder: string): Promise<boolean> {
  const real = await realpath(link).catch(() => undefined);
  return real !== undefined && !liesInside(folder, real);
}

/** Text as Git sees it: no zero byte near the start, or UTF-16 that says so. */
async function reasonToSkip(
  path: string,
  folder: string | undefined,
): Promise<SkippedPath['reason'] | undefined> {
  try {
    const isOutside = folder !== undefined && !liesInside(folder, await realpath(path));
    if (isOutside) return 'link';
    const info = await stat(path);
    if (info.isFile() && info.size > maxFileBytes) return 'too_large';
    const start = await readFileStart(path, { maxBytes: probeBytes });
    return start.includes(0) && encodingOf(start) === 'utf-8' ? 'binary' : undefined;
  } catch {
    return 'unreadable';
  }
}

async function readText(path: string): Promise<string> {
  const bytes = await readRegularFile(path, { maxBytes: maxFileBytes });
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

/** By the byte order mark, as editors on Windows write it. */
function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
}
