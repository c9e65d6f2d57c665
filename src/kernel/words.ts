/** `1 tool`, `2 tools`; nouns that do not just take an s come with their plural: `2 fixes`. */
export function pluralize(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** Words longer than this are compared by their beginning, which bounds the work per candidate. */
const maxComparedLength = 64;

/**
 * The candidate a mistyped `word` most likely meant, or undefined when none is close: at most a
 * third of its letters may be wrong, missing, extra or swapped with their neighbour, or it is the beginning of just
 * one of them.
 */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  const typed = word.toLowerCase().slice(0, maxComparedLength);
  // Gone through twice, and an iterator can be gone through once.
  const candidates = [...names];
  let best: string | undefined;
  let bestDistance = Math.floor(Math.max(typed.length, 3) / 3) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate.toLowerCase().slice(0, maxComparedLength));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best ?? completion(typed, candidates);
}

const minBeginning = 3;

/** The only candidate that begins with the word: `lang` for `language`. */
function completion(typed: string, candidates: readonly string[]): string | undefined {
  if (typed.length < minBeginning) return undefined;
  const longer = new Set(candidates.filter((one) => one.toLowerCase().startsWith(typed)));
  const [only] = longer;
  return longer.size === 1 ? only : undefined;
}

/** Optimal string alignment: insertions, deletions, substitutions and neighbours swapped. */
export function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          at(previous, column) + 1,
          at(current, column - 1) + 1,
          at(previous, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(beforePrevious, column - 2) + 1 : Infinity,
        ),
      );
    }
    [beforePrevious, previous] = [previous, current];
  }
  return at(previous, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}

/** English endings with what may stand instead; Spanish and Italian verbs carry the pronoun: "revisalo". */
const endings = { ies: 'y', es: ' e', s: '', ing: ' e', ied: 'y', ed: ' e', "'s": '' };
const pronounEndings = ['la', 'lo', 'las', 'los'];
/** Most words end otherwise and cost no more than this. */
const mayEnd = /(?:s|ing|ed|la|lo)$/u;

/** Of words seen before: thousands of example phrases share most of theirs. */
const knownForms = new Map<string, readonly string[]>();
const maxKnown = 20_000;

/** The word as it is, then without an ending. */
export function formsOf(word: string): readonly string[] {
  if (!mayEnd.test(word)) return [word];
  const known = knownForms.get(word) ?? cutEndings(word);
  if (knownForms.size < maxKnown) knownForms.set(word, known);
  return known;
}

function cutEndings(word: string): readonly string[] {
  const cut = (ending: string, replacements: string): readonly string[] => {
    if (!word.endsWith(ending) || word.length - ending.length < 3) return [];
    const base = word.slice(0, -ending.length);
    const isDoubled = /([b-df-hj-np-tv-z])\1$/.test(base) && ending !== 's';
    const bases = replacements.split(' ').map((one) => base + one);
    return isDoubled ? [...bases, base.slice(0, -1)] : bases;
  };
  const pronouns = word.length > 5 ? pronounEndings.flatMap((ending) => cut(ending, '')) : [];
  return [word, ...Object.entries(endings).flatMap(([one, other]) => cut(one, other)), ...pronouns];
}

/** Lower case, without accents, with plain apostrophes. */
export function plainForm(text: string): string {
  if (/^[a-z']*$/.test(text)) return text;
  const lower = text.toLowerCase().replaceAll('ß', 'ss').normalize('NFD');
  return lower.replaceAll(/\p{M}/gu, '').replaceAll(/[’‘`´]/g, "'");
}

/** One form for all of a word, to compare words that no concept stands for. */
export function stemOf(word: string): string {
  return formsOf(word).at(-1) ?? word;
}

const letter = 1;
const digit = 2;
const space = 3;
const mark = 4;
const other = 5;

/** Characters of a run that make one token at most, by kind. */
const perToken = { [letter]: 4, [digit]: 2, [space]: 4 } as const;

/**
 * About how many tokens a text is, without the model's own tokenizer: rather too many than too few.
 * Words count a token per four letters, marks one each, other scripts one per two bytes of UTF-8.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  let kind = 0;
  let length = 0;
  let otherBytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const next = kindOf(code);
    if (next === other) otherBytes += code < 0x800 ? 2 : 3;
    if (next !== kind || next === mark) {
      tokens += tokensOfRun(kind, length);
      kind = next;
      length = 0;
    }
    length += 1;
  }
  return tokens + tokensOfRun(kind, length) + Math.ceil(otherBytes / 2);
}

function kindOf(code: number): number {
  if (code > 0x7f) return other;
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return letter;
  if (code >= 48 && code <= 57) return digit;
  return code <= 32 ? space : mark;
}

function tokensOfRun(kind: number, length: number): number {
  if (kind === letter || kind === digit) return Math.ceil(length / perToken[kind]);
  // A single space belongs to the word behind it.
  if (kind === space) return length === 1 ? 0 : Math.ceil(length / perToken[space]);
  return kind === mark ? length : 0;
}
