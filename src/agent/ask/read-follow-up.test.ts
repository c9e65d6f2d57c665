import { describe, expect, it } from 'vitest';
import { findList } from '../answer/index.ts';
import { readFollowUp, selectItems } from './read-follow-up.ts';

const list = findList([
  { severity: 'critical', rule: 'python/S602', message: 'a shell', path: 'src/cart.py', line: 10 },
  { severity: 'critical', rule: 'js/eval', message: 'eval runs text', path: 'web/app.js', line: 2 },
  {
    severity: 'minor',
    rule: 'python/F401',
    message: 'unused import',
    path: 'src/cart.py',
    line: 1,
  },
  {
    severity: 'info',
    rule: 'python/D100',
    message: 'no docstring',
    path: 'tests/a_test.py',
    line: 1,
  },
]);
const { items } = list;

const lines = (message: string): readonly (number | string)[] | undefined => {
  const asked = readFollowUp(message, list);
  return asked && [asked.show, ...selectItems(items, asked).map((item) => items.indexOf(item))];
};

describe('a message about results', () => {
  it.each([
    ['just the critical ones', ['list', 0, 1]],
    ['Only critical, please', ['list', 0, 1]],
    ['only the worst', ['list', 0, 1]],
    ['show me the minor issues', ['list', 2]],
    ['critical and minor ones', ['list', 0, 1, 2]],
    ['only in src/', ['list', 0, 2]],
    ['just the ones in src/cart.py', ['list', 0, 2]],
    ['which are in app.js?', ['list', 1]],
    ['only the critical ones in cart.py', ['list', 0]],
    ['just the eval one', ['list', 1]],
    ['only python', ['list', 0, 2, 3]],
    ['where exactly?', ['list', 0, 1, 2, 3]],
    ['where are the critical ones', ['list', 0, 1]],
    ['on which lines?', ['list', 0, 1, 2, 3]],
    ['how many are there?', ['count', 0, 1, 2, 3]],
    ['how many critical ones are in src?', ['count', 0]],
    ['show all', ['all', 0, 1, 2, 3]],
    ['list them all', ['all', 0, 1, 2, 3]],
    ['show me more', ['more', 0, 1, 2, 3]],
    ['the rest', ['more', 0, 1, 2, 3]],
    ['only the first', ['list', 0]],
    ['the first 2', ['list', 0, 1]],
    ['just the last 2', ['list', 2, 3]],
    ['the second one', ['list', 1]],
    ['only the first two', ['list', 0, 1]],
    ['show me the last three', ['list', 1, 2, 3]],
    ['the first and the third', ['list', 0, 2]],
    ['the top two critical ones', ['list', 0, 1]],
    ['which files?', ['files', 0, 1, 2, 3]],
    ['in which file are the minor ones', ['files', 2]],
    ['show them', ['list', 0, 1, 2, 3]],
    ['only those in docs/', ['list']],
    ['just the blocker ones', ['list']],
  ])('%s', (message, expected) => {
    expect(lines(message)).toEqual(expected);
  });

  it.each([
    ['review src/cart.py'],
    ['find secrets in this repo'],
    ['show me the last runs'],
    ['which servers are there?'],
    ['list all files in src'],
    ['format src/cart.py'],
    ['what can you do?'],
    ['and now run the tests'],
    ['count the lines of code'],
    ['why did it fail?'],
    ['apply it'],
    ['fix the critical ones'],
    ['and in docs/'],
    ['critical'],
    ['what is it'],
    [''],
  ])('is none of these: %s', (message) => {
    expect(readFollowUp(message, list)).toBeUndefined();
  });

  it.each(['which tests failed?', 'show me the failing ones'])(
    'takes what could not be loaded for failed, too: %s',
    (message) => {
      const tests = findList({
        tests: [
          { name: 'adds', file: 'a.test.js', status: 'failed' },
          { name: 'b.test.js', file: 'b.test.js', status: 'error' },
          { name: 'divides', file: 'a.test.js', status: 'passed' },
        ],
      });
      const asked = readFollowUp(message, tests);
      expect(asked && selectItems(tests.items, asked)).toEqual(tests.items.slice(0, 2));
    },
  );

  it('may call the entries what the tool calls them', () => {
    const tests = findList({
      tests: [
        { name: 'adds', file: 'a.test.js', status: 'passed' },
        { name: 'divides', file: 'a.test.js', status: 'failed' },
      ],
    });
    const picked = (message: string) => {
      const asked = readFollowUp(message, tests);
      return asked && selectItems(tests.items, asked).map(({ message: name }) => name);
    };
    expect(picked('which tests failed?')).toEqual(['divides']);
    expect(picked('show me the failing tests')).toEqual(['divides']);
    expect(picked('the first test')).toEqual(['adds']);
    expect(picked('run the tests')).toBeUndefined();
    expect(picked('list all tests')).toBeUndefined();
  });
});
