import { plainWords } from '../../search/plain-words.ts';

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
      .split(/[_$]+/);
    const stems = plainWords(parts);
    found.push(...stems);
    if (stems.length > 1) found.push(stems.join(''));
  }
  return found;
}
