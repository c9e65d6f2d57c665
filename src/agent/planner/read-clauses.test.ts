import { describe, expect, it } from 'vitest';
import { splitMessage } from './read-clauses.ts';
import { readWords } from './read-words.ts';

const judge = () => [{ label: 'anything', share: 1 }];
const splitsOf = (message: string) => splitMessage(readWords(message), judge);
/** The split with the most plausible cuts. */
const best = (message: string) =>
  splitsOf(message)
    .toSorted((a, b) => b.weight - a.weight)[0]
    ?.clauses.map(({ words }) => words.map(({ text }) => text).join(' '));

describe('cutting a message', () => {
  it('where a deed follows "then", "and" or the end of a sentence', () => {
    expect(best('format a.py, then review it and save it. Run the tests')).toEqual(
      ['format a . py', 'review it', 'save it', 'Run the tests'].map((text) =>
        text.replace(' . ', '.'),
      ),
    );
  });

  it('not where a program is described', () => {
    expect(best('a tool that reads names and prints their length')).toHaveLength(1);
  });

  it('before what is not wanted', () => {
    const [negated] = splitsOf('write a parser without tests').flatMap(({ clauses }) =>
      clauses.filter(({ isNegated }) => isNegated),
    );
    expect(negated?.words.map(({ text }) => text)).toEqual(['without', 'tests']);
  });

  it('tries no more ways than the limit allows, however long it is', () => {
    expect(splitsOf('test it and review it. '.repeat(30))).toHaveLength(2 ** 7);
  });

  it('always offers the message as a whole first', () => {
    expect(splitsOf('review it and save it')[0]?.clauses).toHaveLength(1);
  });
});
