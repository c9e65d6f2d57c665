import { vagueWords } from './lexicon/vague-words.ts';
import { phrasesOf } from './lexicon.ts';
import type { Term } from './read-terms.ts';

const codingVerbs =
  /^(?:implement|code|program|develop|debug|refactor|compile|programmier|implementier|entwickl|developp|desarroll|svilupp|desenvolv|implement)/u;

/** Words that are about programs in most sentences; others, such as "table" or "page", in many. */
const everydayThings = new Set(phrasesOf(vagueWords.everydayThings));

/** Whether a message is about programs at all. */
export function isProgramming(terms: readonly Term[]): boolean {
  return terms.some(
    ({ tags, slots, word, kind }) =>
      kind === 'path' ||
      slots.language !== undefined ||
      slots.framework !== undefined ||
      slots.testFramework !== undefined ||
      slots.styleGuide !== undefined ||
      tags.has('n.code') ||
      tags.has('n.test') ||
      tags.has('n.pr') ||
      tags.has('n.spec') ||
      codingVerbs.test(word) ||
      (tags.has('n.soft') && !everydayThings.has(word)),
  );
}
