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
