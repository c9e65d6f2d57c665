import { describe, expect, it } from 'vitest';
import { readWords } from './read-words.ts';
import { splitClauses } from './split-clauses.ts';

const clauses = (message: string): string[] =>
  splitClauses(readWords(message)).map(
    ({ words, isNegated }) =>
      `${isNegated ? 'not: ' : ''}${words.map(({ text }) => text).join(' ')}`,
  );

describe('clauses of a message', () => {
  it.each([
    ['format a.py, then run the tests', ['format a.py', 'then run the tests']],
    ['a parser in Go with tests', ['a parser in Go', 'tests']],
    ['cover it with tests', ['cover it with tests']],
    [
      'write a function that reads and sorts lines and test it',
      ['write a function that reads and sorts lines', 'test it'],
    ],
    ['build a clock, no tests', ['build a clock', 'not: tests']],
    ['before you review it, write tests', ['write tests', 'you review it']],
    ['review it for bugs and speed', ['review it for bugs and speed']],
    ['spec -> code -> tests', ['spec', 'code', 'tests']],
    ['Once it is tested, review it', ['review it']],
    ['design and test a parser', ['design a parser', 'test']],
  ])('%s', (message, expected) => {
    expect(clauses(message)).toEqual(expected);
  });
});
