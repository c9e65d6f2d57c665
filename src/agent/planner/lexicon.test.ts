import { describe, expect, it } from 'vitest';
import { correctSpelling, lookUp } from './lexicon.ts';

describe('the lexicon', () => {
  it.each([
    ['reviewed', 'review'],
    ['formatting', 'format'],
    ['credentials', 'secret'],
    ['prüfe', undefined],
    ['prufe', 'review'],
    ['revisalo', 'review'],
    ['dependencies', 'dependency'],
  ])('%s stands for %s', (word, concept) => {
    const meaning = lookUp(word);
    expect([...(meaning?.verbs ?? []), ...(meaning?.nouns ?? [])][0]).toBe(concept);
  });

  it.each([
    ['formta', 'format'],
    ['reveiw', 'review'],
    ['secerts', 'secret'],
    ['xyzzy', undefined],
    ['cat', undefined],
  ])('reads %s as %s', (word, known) => {
    expect(correctSpelling(word)).toBe(known);
  });
});
