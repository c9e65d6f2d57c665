/** Words that say nothing about what a text is about. */
const emptyWords = new Set(
  (
    'a an and any are as at be been by can could did do does for from had has have how i if in into is it its let ' +
    'may me might my need of on or our out please should so some that the their them then there these they this those to ' +
    'us was we were want what when where which who why will with would you your'
  ).split(' '),
);

/** The words that say something, brought to one form each: `parse`, `parses`, `parsed` and `parsing` are one. */
export function plainWords(words: readonly string[]): string[] {
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
