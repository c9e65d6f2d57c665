import {
  type Ecosystem,
  type FiledPassage,
  type InstalledPackage,
  type Library,
  libraryId,
  type LibraryId,
  normalizeName,
} from './library.ts';
import type { Context7Engine } from './context7.ts';
import type { IndexCache } from './library-index.ts';
import { nearest } from '../../kernel/index.ts';
import type { InstalledLibraries } from './find/installed-libraries.ts';

/** What the tools of this server share: built once, passed to each. */
export interface DocsContext {
  readonly installed: InstalledLibraries;
  readonly indexes: IndexCache;
  readonly context7: Context7Engine;
}

interface LocatedPassage extends FiledPassage {
  readonly library: string;
  readonly version: string;
  readonly source: string;
}

interface InstalledAnswer {
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

interface Candidate {
  readonly library: Library;
  /** From 0 to 1; 1 is the very name. */
  readonly score: number;
}

interface CandidateSearch {
  readonly candidates: readonly Candidate[];
  /** Similar names, when none fits. */
  readonly similar: readonly string[];
  /** Packages of the name that may not be read, and why. */
  readonly refusals: readonly string[];
}

const maxCandidates = 10;
const maxSimilar = 3;
/** What the project names itself comes before what its packages brought along. */
const namedBonus = 0.05;

/** The installed packages a name may mean, best first. */
export async function findCandidates(
  installed: InstalledLibraries,
  name: string,
  ecosystem?: Ecosystem,
): Promise<CandidateSearch> {
  const all = await installed.list(ecosystem);
  const ranked = all
    .map((one) => ({ one, score: scoreOf(one, name) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.one.name < b.one.name ? -1 : 1));
  const candidates: Candidate[] = [];
  const refusals: string[] = [];
  const seen = new Set<string>();
  for (const { one, score } of ranked) {
    if (candidates.length >= maxCandidates) break;
    const opened = await installed.open(one);
    if (opened.kind === 'refused') refusals.push(opened.reason);
    else if (!seen.has(opened.library.id)) {
      seen.add(opened.library.id);
      candidates.push({ library: opened.library, score: Math.round(score * 100) / 100 });
    }
  }
  const similar = candidates.length > 0 ? [] : similarNames(name, all);
  return { candidates, similar, refusals: refusals.slice(0, maxCandidates) };
}

/** 1 the name itself, then its last part (`@scope/name`, a Go module), its beginning, a word of it. */
function scoreOf({ name, isNamed }: InstalledPackage, wanted: string): number {
  const [own, asked] = [normalizeName(name), normalizeName(wanted)];
  if (asked === '') return 0;
  const bonus = isNamed ? namedBonus : 0;
  if (own === asked) return 0.95 + bonus;
  const last = normalizeName(lastPart(name));
  if (last === asked || own === `${asked}-js`) return 0.8 + bonus;
  const words = own.split(/[-/@]/);
  if (own.startsWith(`${asked}-`) || own.startsWith(`${asked}/`)) return 0.6 + bonus;
  if (words.includes(asked)) return 0.5 + bonus;
  return asked.length >= 3 && own.includes(asked) ? 0.3 + bonus : 0;
}

/** `/v2` of a Go module is its major version, not its name. */
function lastPart(name: string): string {
  const parts = name.split('/').filter((part) => !/^v\d+$/.test(part));
  return parts.at(-1) ?? name;
}

function similarNames(name: string, all: readonly InstalledPackage[]): string[] {
  const left = new Map<string, string>();
  for (const one of all) left.set(one.name, one.name).set(lastPart(one.name), one.name);
  const found: string[] = [];
  while (found.length < maxSimilar) {
    const next = nearest(name, left.keys());
    if (next === undefined) break;
    const meant = left.get(next) ?? next;
    if (!found.includes(meant)) found.push(meant);
    left.delete(next);
  }
  return found;
}
