import { describe, expect, it } from 'vitest';
import { formsOf, plainForm, stemOf } from './word-forms.ts';

describe('forms of a word', () => {
  it.each([
    ['queries', 'query'],
    ['running', 'run'],
    ['tested', 'test'],
    ['fixes', 'fix'],
    ['revisalo', 'revisa'],
  ])('%s may be %s', (word, base) => {
    expect(formsOf(word)).toContain(base);
  });

  it('short words keep their ending', () => {
    expect(formsOf('is')).toEqual(['is']);
  });

  it('one stem stands for all of them', () => {
    expect(stemOf('parsers')).toBe(stemOf('parser'));
  });

  it('the plain form has no accents, capitals or curly apostrophes', () => {
    expect(plainForm('Prüfe l’Été')).toBe("prufe l'ete");
  });
});
