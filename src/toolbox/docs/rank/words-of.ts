const emptyWords = new Set(
  (
    'a an and any are as at be by can could do does for from get give has have how i if in into is it its let make may me ' +
    'my of on one or our please should so some that the their them then there these they this those to us use ' +
    'using was we what when where which who why will with would you your want need'
  ).split(' '),
);

const maxWordChars = 64;

/**
 * The words of a text as the index knows them: lower case, without endings, identifiers both whole
 * and in their parts (`parseAsync` is `pars`, `async` and `parsasync`).
 */
export function wordsOf(text: string): string[] {
  const found: string[] = [];
  for (const [token] of text.matchAll(/[\p{L}\p{N}_$]+/gu)) {
    if (token.length > maxWordChars) continue;
    const parts = token
      .replaceAll(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1_')
      .toLowerCase()
      .split(/[_$]+/)
      .filter(Boolean);
    const stems = parts.filter((part) => !emptyWords.has(part)).map(withoutEnding);
    found.push(...stems);
    if (stems.length > 1) found.push(stems.join(''));
  }
  return found;
}

/** Brings `parse`, `parses`, `parsed` and `parsing` together. Crude, and the same for question and text. */
function withoutEnding(word: string): string {
  if (word.length <= 3) return word;
  const singular = word.endsWith('ies')
    ? `${word.slice(0, -3)}y`
    : word.replace(/(?:(?<=ss|sh|ch|x|z)es|(?<=[^su])s)$/, '');
  const stem = singular.replace(/(?<=\p{L}{3})(?:ing|ed|ation|ment|able|ly)$/u, '');
  const single = stem === singular ? stem : stem.replace(/([bdgklmnprt])\1$/, '$1');
  return single.length > 3 ? single.replace(/e$/, '') : single;
}
