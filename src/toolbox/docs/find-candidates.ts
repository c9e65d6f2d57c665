import { nearest } from '../../kernel/index.ts';
import type { InstalledLibraries } from './find/installed-libraries.ts';
import { normalizeName, type Ecosystem, type InstalledPackage, type Library } from './library.ts';

export interface Candidate {
  readonly library: Library;
  /** From 0 to 1; 1 is the very name. */
  readonly score: number;
}

export interface CandidateSearch {
  readonly candidates: readonly Candidate[];
  /** Names that were perhaps meant, when none fits. */
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

export function similarNames(name: string, all: readonly InstalledPackage[]): string[] {
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
