import { findCandidates, similarNames } from './find-candidates.ts';
import type { Context7Engine } from './context7-engine.ts';
import type { InstalledLibraries } from './find/installed-libraries.ts';
import type { IndexCache } from './index-cache.ts';
import { libraryId, type Library, type LibraryId } from './library.ts';
import type { FiledPassage } from './passage.ts';

/** What the tools of this server share: built once, passed to each. */
export interface DocsContext {
  readonly installed: InstalledLibraries;
  readonly indexes: IndexCache;
  readonly context7: Context7Engine;
}

export interface LocatedPassage extends FiledPassage {
  readonly library: string;
  readonly version: string;
  readonly source: string;
}

export interface InstalledAnswer {
  /** The library that was found, or else what was asked for. */
  readonly library: string;
  readonly passages: readonly LocatedPassage[];
  /** What is missing, and why. */
  readonly notes: readonly string[];
  readonly similar: readonly string[];
}

/** A name this close to what was asked for is it. */
const surely = 0.8;

/** The passages about a topic in the package of that name and version that the project has installed. */
export async function searchInstalled(
  { installed, indexes }: Pick<DocsContext, 'installed' | 'indexes'>,
  wanted: LibraryId,
  topic: string,
): Promise<InstalledAnswer> {
  const asked = shownId(wanted);
  const found = await findCandidates(installed, wanted.name, wanted.ecosystem);
  const sure = found.candidates.filter(({ score }) => score >= surely).map((one) => one.library);
  const library = sure.find(({ version }) => isWanted(version, wanted)) ?? sure[0];
  if (!library) return unknownLibrary(installed, wanted, found.refusals);
  const index = await indexes.get(library);
  const passages = index.search(topic).map(({ passage }) => located(passage, library));
  const notes = [...index.notes];
  if (!isWanted(library.version, wanted)) {
    notes.push(`${asked} is not installed; this is ${library.id}, which is.`);
  }
  if (index.size === 0) notes.push(`${library.id} has no documentation that could be read.`);
  else if (passages.length === 0) {
    notes.push(`Nothing about "${topic}" is in the ${index.size} passages of ${library.id}.`);
  }
  return { library: library.id, passages, notes, similar: [] };
}

async function unknownLibrary(
  installed: DocsContext['installed'],
  wanted: LibraryId,
  refusals: readonly string[],
): Promise<InstalledAnswer> {
  const similar = similarNames(wanted.name, await installed.list(wanted.ecosystem));
  const notes = [`"${wanted.name}" is not installed in the project, so nothing is known about it.`];
  return {
    library: shownId(wanted),
    passages: [],
    notes: refusals.length > 0 ? [...refusals] : notes,
    similar,
  };
}

function isWanted(version: string, wanted: LibraryId): boolean {
  return wanted.version === undefined || version === wanted.version;
}

function shownId({ ecosystem, name, version }: LibraryId): string {
  if (ecosystem === undefined) return version === undefined ? name : `${name}@${version}`;
  return version === undefined ? `${ecosystem}:${name}` : libraryId(ecosystem, name, version);
}

function located(passage: FiledPassage, library: Library): LocatedPassage {
  const { id, version, source } = library;
  const { file, line } = passage;
  return { ...passage, library: id, version, source: `${source}/${file}:${line}` };
}
