import { plainWords } from '../../search/plain-words.ts';

/** More than any description needs; what comes after is not looked at. */
const maxChars = 4_000;

/** The words of a text or an identifier as the index knows them: split, lower case, without endings. */
export function splitWords(text: string): string[] {
  const words = text
    .slice(0, maxChars)
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return plainWords(words);
}
