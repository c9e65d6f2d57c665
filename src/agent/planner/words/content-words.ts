import { joiningWords } from './lexicon/joining-words.ts';
import { vagueWords } from './lexicon/vague-words.ts';
import { phrasesOf } from './lexicon.ts';
import type { Term } from './read-terms.ts';

/** Kinds of programs that say nothing about what one is for. */
const vagueThings = new Set(phrasesOf(vagueWords.vagueThings));
const vaguePhrases = new Set(phrasesOf(vagueWords.vaguePhrases));
const vagueQualities = new Set(phrasesOf(vagueWords.vagueQualities));
const joining = new Set([
  ...phrasesOf(joiningWords.conjunctions),
  ...phrasesOf(joiningWords.nextWords),
  ...phrasesOf(joiningWords.withWords),
]);

/** The terms of a piece that say what a program is for. */
export function contentWords(terms: readonly Term[]): readonly Term[] {
  return terms.filter((term, at) => isContent(term, at) || isResource(terms, at));
}

/** `a REST API for customers`: those it is for are what it is about. */
function isResource(terms: readonly Term[], at: number): boolean {
  const term = terms[at];
  const isPlural = term?.word.endsWith('s') === true && term.tags.has('n.audience');
  const isOwned = terms.slice(Math.max(0, at - 2), at).some(({ tags }) => tags.has('f.possessive'));
  return (
    isPlural &&
    !isOwned &&
    terms.slice(0, at).some(({ word }) => /\bapi\b|endpoint|crud|schema|table|model/u.test(word))
  );
}

function isContent(term: Term, at: number): boolean {
  const { word, tags, slots, kind } = term;
  if (kind === 'quote') return true;
  if (kind !== 'word' || word.length < 2 || word === 'go' || /^\d/u.test(word)) return false;
  if (joining.has(word)) return false;
  if (vagueThings.has(word) || vaguePhrases.has(word) || vagueQualities.has(word)) return false;
  if (word.endsWith('s') && vagueThings.has(word.slice(0, -1))) return false;
  if (slots.language ?? slots.framework ?? slots.testFramework ?? slots.styleGuide) return false;
  const has = (...some: readonly string[]): boolean =>
    [...tags].some((tag) => some.some((prefix) => tag.startsWith(prefix)));
  if (has('f.', 'n.generic', 'n.audience', 'n.code', 'n.test', 'n.review', 'n.spec', 'n.result'))
    return false;
  return !(has('v.') && (at < 4 || has('v.want', 'v.test', 'v.review')) && !has('n.soft', 'n.off'));
}
