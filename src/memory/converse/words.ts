/** Words that stand in any sentence and so tell none from another. */
export const emptyWords: ReadonlySet<string> = new Set(
  (
    'a about actually again all also am an and any are as at be been before but by can could did do does doing done ' +
    'earlier for from get give given gave had has have how i if in into is it its just let like me mentioned my ' +
    'need now of ok okay on one or our out please remember remind said say should so some tell that the their ' +
    'them then there these they thing this those to told too up us use used using very want was we were what when ' +
    'where which who whom whose why will with would yes you your'
  ).split(' '),
);

/** Endings of which the first that fits is taken off, with what comes in its place. */
const endings: readonly (readonly [ending: string, instead: string, minStem: number])[] = [
  ['ies', 'y', 2],
  ['sses', 'ss', 1],
  ['ations', 'at', 3],
  ['ation', 'at', 3],
  ['ings', '', 3],
  ['ing', '', 3],
  ['edly', '', 3],
  ['ed', '', 3],
  ['ers', '', 4],
  ['er', '', 4],
  ['es', '', 3],
  ['ss', 'ss', 1],
  ['s', '', 3],
  ['ly', '', 4],
];

const maxWordLength = 40;
/** Scripts that put no blanks between words: there two neighbours count as one. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;

/** What a text is about, word by word: small letters, without endings, without words that say nothing. */
export function wordsOf(text: string): string[] {
  return onlyAscii.test(text) ? latinWords(text) : anyWords(text);
}

/** Most texts are of this kind, and for these it takes a tenth of the time. */
const onlyAscii = /^[\0-\x7f]*$/;

function latinWords(text: string): string[] {
  const parted = text.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  const words: string[] = [];
  for (const raw of parted.match(/[a-z0-9]+/g) ?? []) {
    if (!emptyWords.has(raw)) words.push(stemOf(raw.slice(0, maxWordLength)));
  }
  return words;
}

function anyWords(text: string): string[] {
  const parted = text.normalize('NFKC').replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  const words: string[] = [];
  for (const [raw] of parted.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    if (unspaced.test(raw)) words.push(...pairsOf(raw));
    else if (!emptyWords.has(raw)) words.push(stemOf(raw.slice(0, maxWordLength)));
  }
  return words;
}

function stemOf(word: string): string {
  for (const [ending, instead, minStem] of endings) {
    if (!word.endsWith(ending) || word.length - ending.length < minStem) continue;
    return withoutLastE(word.slice(0, -ending.length) + instead);
  }
  return withoutLastE(word);
}

/** `using` and `use`, `cached` and `cache` are one word. */
function withoutLastE(word: string): string {
  return word.length > 3 && word.endsWith('e') ? word.slice(0, -1) : word;
}

function pairsOf(text: string): string[] {
  const characters = Array.from(text);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}
