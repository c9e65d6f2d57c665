/** More than any description needs; what comes after is not looked at. */
const maxChars = 4_000;

const emptyWords = new Set(
  (
    'a an and any are as at be been by can could did do does for from had has have how i if in into is it its ' +
    'may me might my of on or our out please should so some that the their them then there these they this ' +
    'those to us was we were what when where which who why will with would you your want need let'
  ).split(' '),
);

/** The words of a text or an identifier as the index knows them: split, lower case, without endings. */
export function splitWords(text: string): string[] {
  return text
    .slice(0, maxChars)
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !emptyWords.has(word))
    .map(withoutEnding);
}

/** Brings `compress`, `compresses`, `compressed` and `compressing` together. Crude, and the same for all texts. */
function withoutEnding(word: string): string {
  if (word.length <= 3) return word;
  const singular = word
    .replace(/(ies|ied)$/, 'y')
    .replace(/(ss|sh|ch|x|z)es$/, '$1')
    .replace(/([^su])s$/, '$1');
  const verb = singular.replace(/(\p{L}{3})(?:ing|ed)$/u, '$1');
  const single = verb === singular ? verb : verb.replace(/([bdfgkmnprt])\1$/, '$1');
  return single.length > 3 ? single.replace(/e$/, '') : single;
}
