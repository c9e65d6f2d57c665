import { setImmediate } from 'node:timers/promises';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, RecentValues } from '../../kernel/index.ts';
import { SyntaxTrees } from '../code/syntax-tree.ts';
import {
  docsLimits,
  type DocsLimits,
  type FiledPassage,
  type Library,
  type Passage,
} from './library.ts';
import { type Field, splitIdentifiers, WordIndex } from '../search/word-index.ts';
import { PackageFiles } from './read/package-files.ts';
import { findDocuments } from './read/find-documents.ts';

interface RankedPassage {
  readonly passage: FiledPassage;
  readonly score: number;
}

interface WeighedPassage {
  readonly passage: FiledPassage;
  readonly weight: number;
}

/** How much more a word counts in a passage's own heading, and in the headings above it. */
const headingWeight = 4;
const trailWeight = 1;
/** The library's own name is in every other passage and tells little apart. */
const ownNameWeight = 0.3;
/** Two words that may be one identifier are counted already, each alone. */
const joinedWeight = 0.3;
/** How much more a passage counts whose heading is about nothing else than what was asked for. */
const headingBonus = 0.5;
/** A declaration without a comment says less than one that is explained. */
const uncommentedWeight = 0.7;
/** Names with this prefix are internal to a library. */
const innerName = /(?:^|\.)[_$]/;
const innerWeight = 0.6;
/** Users ask about what they can import. */
const exportedWeight = 1.25;
/** A heading that lists many members is about none of them in particular. */
const listHeadingWeight = 1;
/** Of what is asked for, a passage must hold at least this share to be an answer. */
const minCoverage = 0.15;
/** Passages this much weaker than the best are noise. */
const minShareOfBest = 0.15;

const minKnownShare = 1 / 3;
const lengthPenalty = 0.6;

/** The passages of one library, ranked by BM25 over headings and text. */
class LibraryIndex {
  readonly #passages: WeighedPassage[] = [];
  readonly #words = new WordIndex<number>(lengthPenalty);
  readonly #ownWords: ReadonlySet<string>;
  readonly #seen = new Set<string>();
  readonly #notes: string[] = [];
  #chars = 0;

  constructor(library: Pick<Library, 'name'>) {
    this.#ownWords = new Set(splitIdentifiers(library.name));
  }

  add(passage: FiledPassage, weight: number): void {
    // Packages ship the same declarations for each module system, and versions of one text.
    if (this.#seen.has(passage.text)) return;
    this.#seen.add(passage.text);
    const isCode = passage.kind === 'types' || passage.kind === 'docstring';
    const declared = isCode ? weight * declarationWeight(passage) : weight;
    const own = declared * (passage.isExported ? exportedWeight : 1);
    const fields = fieldsOf(passage);
    const length = fields.reduce((sum, { words }) => sum + words.length, 0);
    this.#words.put(this.#passages.length, fields, length);
    this.#passages.push({ passage, weight: own });
    this.#chars += passage.text.length;
  }

  addNote(note: string): void {
    this.#notes.push(note);
  }

  /** What was left out of the index, as sentences. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  get chars(): number {
    return this.#chars;
  }

  get size(): number {
    return this.#passages.length;
  }

  /** The passages that answer a topic, best first; none when none holds enough of it. */
  search(topic: string): RankedPassage[] {
    const question = this.#questionOf(topic);
    const ranked: RankedPassage[] = [];
    for (const [index, { score, coverage }] of this.#rank(question)) {
      const found = this.#passages[index];
      if (!found) continue;
      const about = aboutness(found.passage, question);
      if (coverage < minCoverage && about < 1) continue;
      const factor = (1 + coverage) * (1 + headingBonus * about);
      ranked.push({ passage: found.passage, score: score * found.weight * factor });
    }
    ranked.sort((a, b) => b.score - a.score || a.passage.line - b.passage.line);
    const best = ranked[0]?.score ?? 0;
    return ranked.filter(({ score }) => score >= best * minShareOfBest);
  }

  /** Its words, and each two neighbours as the one identifier they may stand for: `template literal`. */
  #questionOf(topic: string): Map<string, number> {
    const words = splitIdentifiers(topic);
    const joined = words.map((word, index) => word + (words[index + 1] ?? ''));
    const known = joined.filter((word) => this.#words.holderCount(word) > 0);
    return new Map([
      ...known.map((word) => [word, joinedWeight] as const),
      ...words.map((word) => [word, this.#ownWords.has(word) ? ownNameWeight : 1] as const),
    ]);
  }

  /**
   * Every passage with a word of the question, and how much of what was asked for it holds, from 0 to 1.
   * None when the passages know fewer than a third of its words: then they are about something else.
   */
  #rank(
    question: ReadonlyMap<string, number>,
  ): ReadonlyMap<number, { score: number; coverage: number }> {
    const found = new Map<number, { score: number; coverage: number }>();
    const known = [...question].flatMap(([word, weight]) => {
      const holders = this.#words.holderCount(word);
      return holders === 0 ? [] : [{ word, rarity: this.#words.rarity(holders) * weight }];
    });
    if (known.length < question.size * minKnownShare) return found;
    const asked = known.reduce((sum, { rarity }) => sum + rarity, 0);
    for (const { word, rarity } of known) {
      this.#words.forEachHolder(word, (index, presence) => {
        const hit = found.get(index) ?? { score: 0, coverage: 0 };
        hit.score += rarity * presence;
        hit.coverage += rarity / asked;
        found.set(index, hit);
      });
    }
    return found;
  }
}

/** How much of a passage's own heading is what was asked for, from 0 to 1. */
function aboutness(passage: FiledPassage, question: ReadonlyMap<string, number>): number {
  const words = new Set(splitIdentifiers(partsOf(passage).own));
  const held = [...words].filter((word) => question.has(word));
  return words.size === 0 ? 0 : held.length / words.size;
}

function fieldsOf(passage: FiledPassage): Field[] {
  const { above, own, isList } = partsOf(passage);
  return [
    { words: splitIdentifiers(own), weight: isList ? listHeadingWeight : headingWeight },
    { words: splitIdentifiers(above), weight: trailWeight },
    { words: splitIdentifiers(withoutAddresses(passage.text)), weight: 1 },
  ];
}

/** A passage's own heading and what leads to it: the headings above, the class or module around it. */
function partsOf({ heading, kind }: FiledPassage): { above: string; own: string; isList: boolean } {
  const isCode = kind === 'types' || kind === 'docstring';
  const isList = isCode && heading.includes(', ');
  const separator = isCode ? '.' : ' > ';
  const cut = isList ? -1 : heading.lastIndexOf(separator);
  if (cut < 0) return { above: '', own: heading, isList };
  return { above: heading.slice(0, cut), own: heading.slice(cut + separator.length), isList };
}

function declarationWeight({ heading, text }: Passage): number {
  const isCommented = /\/\*|\/\/ |"""|'''|^[ru]?["']/m.test(text);
  return (isCommented ? 1 : uncommentedWeight) * (innerName.test(heading) ? innerWeight : 1);
}

function withoutAddresses(text: string): string {
  return text.replaceAll(/https?:\/\/[^\s)"'>]+/g, ' ');
}

/**
 * Reads and splits what a library documents itself with. Gives other work a turn between files, and
 * stops at the limits; what was left out stands in the notes.
 */
async function indexLibrary(
  library: Library,
  clock: Clock,
  limits: DocsLimits = docsLimits,
): Promise<LibraryIndex> {
  const startedAt = clock.now();
  const trees = new SyntaxTrees();
  const files = new PackageFiles(library.realFolder, library.parts, limits);
  const { files: paths, isComplete } = await files.list();
  const index = new LibraryIndex(library);
  if (!isComplete) {
    index.addNote(
      `It has more than ${limits.maxEntriesSeen} files; the others were not looked at.`,
    );
  }
  const documents = await findDocuments(library, files, paths);
  let read = 0;
  for (const { file, kind, weight, split } of documents) {
    const isFull =
      read >= limits.maxFiles ||
      index.chars >= limits.maxLibraryChars ||
      index.size >= limits.maxPassages ||
      clock.now() - startedAt > limits.maxIndexMs;
    if (isFull) {
      index.addNote(
        `${read} of its ${documents.length} documents were read; the rest is beyond the limits.`,
      );
      break;
    }
    await setImmediate();
    read += 1;
    const content = await files.read(file);
    if (!content) continue;
    if (content.isCut) {
      index.addNote(`Of ${file} only the first ${limits.maxFileBytes} bytes were read.`);
    }
    const left = limits.maxPassages - index.size;
    const passages = await split(content.text, trees);
    for (const passage of passages.slice(0, left)) {
      index.add({ ...passage, file, kind }, weight);
    }
  }
  return index;
}

/** Indexes made when first asked for; the least recently used go when there is too much text in all. */
export class IndexCache {
  readonly #recent: RecentValues<{ readonly stamp: string; readonly index: Promise<LibraryIndex> }>;
  readonly #clock: Clock;
  readonly #limits: DocsLimits;

  constructor(clock: Clock, limits: DocsLimits = docsLimits) {
    this.#recent = new RecentValues(limits.maxIndexedChars);
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Concurrent requests share one index; a package that was installed anew gets a new one. */
  async get(library: Library): Promise<LibraryIndex> {
    const key = `${library.id} ${library.realFolder}`;
    const stamp = await stampOf(library);
    const kept = this.#recent.get(key);
    if (kept?.stamp === stamp) return kept.index;
    const index = indexLibrary(library, this.#clock, this.#limits);
    this.#recent.set(key, { stamp, index });
    const size = await index.then(
      ({ chars }) => chars,
      () => Infinity,
    );
    this.#recent.set(key, { stamp, index }, size);
    return index;
  }
}

/** Changes when the package is installed anew: its folder or its manifest was written then. */
async function stampOf({
  realFolder,
  parts = ['package.json', 'README.md'],
}: Library): Promise<string> {
  const paths = [realFolder, ...parts.map((part) => join(realFolder, part))];
  const times = await Promise.all(
    paths.map(async (path) => {
      const info = await stat(path).catch(() => undefined);
      return info ? `${info.mtimeMs}:${info.size}` : '';
    }),
  );
  return times.join(' ');
}
