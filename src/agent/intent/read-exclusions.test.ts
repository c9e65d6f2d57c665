import { describe, expect, it } from 'vitest';
import { readExclusions } from './read-exclusions.ts';

const files = [
  'README.md',
  'data/keys.txt',
  'docs/design.md',
  'src/report.py',
  'src/ledger/store.py',
  'src/ledger/money.py',
  'tests/test_money.py',
  'web/cart.test.ts',
];

describe('what is to be left out', () => {
  it.each([
    ['find secrets but not in data', 'find secrets', ['data']],
    ['scan everything except src for secrets', 'scan everything for secrets', ['src']],
    ['format src but skip report.py', 'format src', ['report.py']],
    ['review src but ignore store', 'review src', ['store.py']],
    ['format src, not src/report.py', 'format src', ['src/report.py']],
    ['find TODO outside the docs folder', 'find TODO', ['docs']],
    ["format src and don't touch report.py and store.py", 'format src', ['report.py', 'store.py']],
    [
      'review all of it, excluding data, docs and README.md, and run it',
      'review all of it and run it',
      ['data', 'docs', 'README.md'],
    ],
    ['find secrets, ignore the tests', 'find secrets', ['tests/', '*.test.*']],
    [
      'format everything but not the tests and save it',
      'format everything and save it',
      ['tests/', '*.test.*'],
    ],
    ['scan all except markdown files', 'scan all', ['*.md']],
    ['scan all except *.md', 'scan all', ['*.md']],
    ['skip docs and review the rest', 'review the rest', ['docs']],
    [
      'rename Money to Amount everywhere except in `src/ledger/`',
      'rename Money to Amount everywhere',
      ['src/ledger'],
    ],
  ])('is taken out of the message: %s', (message, said, patterns) => {
    expect(readExclusions(message, files)).toEqual({
      said,
      patterns,
      unknown: [],
    });
  });

  it('names what is nowhere in the project, and keeps the message', () => {
    const message = 'scan everything except the legacy part for injections';
    expect(readExclusions(message, files)).toEqual({
      said: message,
      patterns: [],
      unknown: ['the legacy part for injections'],
    });
  });

  it.each([
    'write a parser without a regex',
    'review src',
    'how do I skip tests in pytest',
    'do not ignore data',
    'commit as "all except docs"',
    'a script that ignores data',
    'skip the review',
    'Vitest, not Jest',
    'except data',
  ])('is nothing: %s', (message) => {
    expect(readExclusions(message, files)).toBeUndefined();
  });
});
