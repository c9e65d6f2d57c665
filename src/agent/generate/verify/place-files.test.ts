import { describe, expect, it } from 'vitest';
import { extraFiles, placeFiles, wholeMs } from './place-files.ts';

describe('the files that code and tests are put into', () => {
  it.each([
    ['python', '', 'import pytest\nfrom money import add\n', 'money.py', 'test_money.py'],
    [
      'python',
      '',
      'from x.y import z\nfrom solution import add\n',
      'solution.py',
      'test_solution.py',
    ],
    ['python', '', 'import math\n', 'solution.py', 'test_solution.py'],
    ['javascript', '', "import { a } from './sum.js';\n", 'sum.js', 'sum.test.mjs'],
    ['javascript', 'module.exports = {};\n', '', 'solution.cjs', 'solution.test.mjs'],
    ['javascript', '', "const a = require('./sum.cjs');\n", 'sum.cjs', 'sum.test.cjs'],
    ['typescript', '', "import { a } from './sum.ts';\n", 'sum.ts', 'sum.test.ts'],
    ['go', '', '', 'solution.go', 'solution_test.go'],
    ['rust', '', '', 'src/lib.rs', 'tests/solution.rs'],
    [
      'java',
      'class A {}\npublic final class Money {}\n',
      'class MoneyTest {}\n',
      'Money.java',
      'MoneyTest.java',
    ],
  ] as const)(
    'have the names that %s and its tests demand',
    (language, code, tests, codeFile, testFile) => {
      expect(placeFiles(language, { code, tests })).toEqual({ codeFile, testFile });
    },
  );

  it('have beside them what a project of the language needs', () => {
    const of = (language: 'rust' | 'go' | 'java'): object =>
      extraFiles(language, { code: 'package main\n', wallMs: 5_000 });
    expect(Object.keys(of('rust'))).toEqual(['Cargo.toml']);
    expect(of('go')).toEqual({
      'time_limit_test.go': expect.stringMatching(/^package main[^]*5000\*time/),
    });
    expect(of('java')).toEqual({});
    expect(wholeMs('python', 5)).toBe(5);
    expect(wholeMs('go', 5)).toBe(60_005);
  });
});
