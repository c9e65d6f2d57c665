import { z } from 'zod';
import { splitWords } from '../../search/split-words.ts';
import data from './synonyms.json' with { type: 'json' };

/** Words that people use for one another when they say what they want done; each line is one meaning. */
const meanings = z.array(z.string().regex(/^[a-z0-9]+(?: [a-z0-9]+)+$/)).parse(data);

/** How much a word counts that stands for one the user said. */
const synonymWeight = 0.6;

/** The words of a query with the weight of each: 1 for its own, less for those that mean the same. */
export function withSynonyms(
  words: readonly string[],
  synonyms: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const word of words) weights.set(word, 1);
  for (const word of words) {
    for (const other of synonyms.get(word) ?? []) {
      if (!weights.has(other)) weights.set(other, synonymWeight);
    }
  }
  return weights;
}

/** By word, those that mean the same. */
export function readSynonyms(): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const line of meanings) {
    const words = splitWords(line);
    for (const word of words) groups.set(word, [...(groups.get(word) ?? []), ...words]);
  }
  return groups;
}
