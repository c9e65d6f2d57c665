/** A part of a document and how much a word in it counts. */
export interface Field {
  readonly words: readonly string[];
  readonly weight: number;
}

/** How fast more of the same word stops counting. */
const saturation = 1.2;
export const maxPresence = saturation + 1;

/** BM25 over weighted fields. Changed one document at a time. */
export class WordIndex<Id> {
  /** By word, the documents that hold it and its weighted count in each. */
  readonly #holders = new Map<string, Map<Id, number>>();
  readonly #lengths = new Map<Id, number>();
  #totalLength = 0;
  readonly #lengthPenalty: number;

  /** `lengthPenalty`: how much long documents are held back, from 0 to 1. */
  constructor(lengthPenalty: number) {
    this.#lengthPenalty = lengthPenalty;
  }

  get size(): number {
    return this.#lengths.size;
  }

  /** Adds a document, or replaces the one of that id. */
  put(id: Id, fields: readonly Field[], length: number): void {
    this.remove(id);
    this.#lengths.set(id, length);
    this.#totalLength += length;
    for (const { words, weight } of fields) {
      for (const word of words) {
        const counts = this.#holders.get(word) ?? new Map<Id, number>();
        this.#holders.set(word, counts.set(id, (counts.get(id) ?? 0) + weight));
      }
    }
  }

  remove(id: Id): void {
    const length = this.#lengths.get(id);
    if (length === undefined) return;
    this.#lengths.delete(id);
    this.#totalLength -= length;
    for (const [word, counts] of this.#holders) {
      if (counts.delete(id) && counts.size === 0) this.#holders.delete(word);
    }
  }

  holderCount(word: string): number {
    return this.#holders.get(word)?.size ?? 0;
  }

  /** How much a word says that so many documents hold. */
  rarity(holders: number): number {
    return Math.log(1 + (this.size - holders + 0.5) / (holders + 0.5));
  }

  /** Calls back for each document that holds the word, with how present it is there: 0 to `maxPresence`. */
  forEachHolder(word: string, use: (id: Id, presence: number) => void): void {
    const averageLength = this.#totalLength / this.size;
    for (const [id, count] of this.#holders.get(word) ?? []) {
      const relativeLength = (this.#lengths.get(id) ?? 0) / averageLength;
      const brake = 1 - this.#lengthPenalty + this.#lengthPenalty * relativeLength;
      use(id, (count * maxPresence) / (count + saturation * brake));
    }
  }
}

/** Words that say nothing about what a text is about. */
const emptyWords = new Set(
  (
    'a an and any are as at be been by can could did do does for from had has have how i if in into is it its let ' +
    'may me might my need of on or our out please should so some that the their them then there these they this those to ' +
    'us was we were want what when where which who why will with would you your'
  ).split(' '),
);

/** More than any description needs; what comes after is not looked at. */
const maxChars = 4_000;
const maxWordChars = 64;

/** The words of a text or an identifier as an index knows them: split, lower case, without endings. */
export function splitWords(text: string): string[] {
  const words = text
    .slice(0, maxChars)
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return plainWords(words);
}

/** The same for code: identifiers in their parts and whole (`parseAsync` is `pars`, `async` and `parsasync`). */
export function splitIdentifiers(text: string): string[] {
  const found: string[] = [];
  for (const [token] of text.matchAll(/[\p{L}\p{N}_$]+/gu)) {
    if (token.length > maxWordChars) continue;
    const parts = token
      .replaceAll(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1_')
      .toLowerCase()
      .split(/[_$]+/);
    const stems = plainWords(parts);
    found.push(...stems);
    if (stems.length > 1) found.push(stems.join(''));
  }
  return found;
}

/** The words that say something, brought to one form each: `parse`, `parses`, `parsed` and `parsing` are one. */
function plainWords(words: readonly string[]): string[] {
  return words.filter((word) => word !== '' && !emptyWords.has(word)).map(withoutEnding);
}

/** Crude, and the same for questions and texts. */
function withoutEnding(word: string): string {
  if (word.length <= 3) return word;
  const singular = word
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?:(?<=ss|sh|ch|x|z)es|(?<=[^su])s)$/, '');
  const stem = singular.replace(/(?<=\p{L}{3})(?:ing|ed|ation|ment|able|ly)$/u, '');
  const single = stem === singular ? stem : stem.replace(/([bdfgklmnprt])\1$/, '$1');
  return single.length > 3 ? single.replace(/e$/, '') : single;
}
