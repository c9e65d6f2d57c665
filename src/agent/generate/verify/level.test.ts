import { expect, it } from 'vitest';
import type { Evidence } from '../../../contract/generation/index.ts';
import { countComputed, grade, holdsResults } from './level.ts';

const evidence: Evidence = {
  parsed: true,
  formatted: true,
  lint_errors: 0,
  built: true,
  tests: { written_by: 'given', passed: 1, failed: 0, skipped: 0, are_effective: true },
  examples: null,
  coverage_percent: 100,
  branches: { total: 2, run: 2, missing: [] },
  mutants: { planted: 1, killed: 1, survived: [] },
  attempts: 1,
  notes: [],
};

const shown = {
  kind: 'tests',
  count: 3,
  needed: 3,
  score: 1,
  behaviourScore: 1,
  unshown: undefined,
  computed: 3,
  holdsResults: false,
} as const;

it.each<[string, Partial<Evidence>, boolean, string | null, number?, ('tests' | 'examples')?]>([
  ['tests from the user that were passed', {}, true, 'verified', 0.7],
  [
    'tests that notice too little together',
    { mutants: { planted: 100, killed: 89, survived: [] } },
    true,
    'self_tested',
    0.89,
  ],
  ['examples of the request', {}, true, 'verified', 0.9, 'examples'],
  ['examples that notice too little', {}, true, 'self_tested', 0.89, 'examples'],
  ['tests from the user that notice too little', {}, true, 'self_tested', 0.69],
  [
    'tests by the author of the code',
    { tests: { written_by: 'self', passed: 9, failed: 0, skipped: 0, are_effective: true } },
    true,
    'self_tested',
  ],
  ['a check that was not passed', {}, false, 'built'],
  ['no tests', { tests: null }, true, 'built'],
  ['code that does not load', { built: false }, true, 'parsed'],
  ['code that was never loaded', { built: null }, true, 'parsed'],
  ['lint errors', { lint_errors: 1 }, true, 'parsed'],
  ['text that is not valid', { parsed: false }, true, null],
])('with %s', (_what, known, hasPassed, level, score, kind = 'tests') => {
  const failure = hasPassed ? undefined : 'a test passed';
  const graded = grade(
    { ...evidence, ...known },
    {
      hasPassed,
      failure,
      independent: score === undefined ? null : { ...shown, kind, score },
    },
  );
  expect(graded.level).toBe(level);
  expect(graded.missing === null).toBe(level === 'verified');
  if (failure !== undefined) expect(graded.missing).toBe(failure);
});

it('tests of the user do not verify what the request says beyond them', () => {
  const independent = {
    ...shown,
    unshown: 'tests of yours that show: "It must be safe for threads."',
  } as const;
  expect(grade(evidence, { hasPassed: true, failure: undefined, independent })).toEqual({
    level: 'self_tested',
    missing: 'tests of yours that show: "It must be safe for threads."',
  });
});

it('examples whose results stand in the code do not show that it computes them', () => {
  const independent = { ...shown, kind: 'examples', computed: 1 } as const;
  expect(grade(evidence, { hasPassed: true, failure: undefined, independent }).level).toBe(
    'self_tested',
  );
});

it.each([
  [
    'if text.endswith("o"): return 2\nif "y" in text: return 0\nreturn len(text)',
    ['2', '0', '3'],
    1,
  ],
  ['KNOWN = (0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55)', ['0', '1', '13', '55'], 0],
  ['a, b = 0, 1', ['0', '1', '13', '55'], 2],
  ["return 'Fizz' if n % 3 == 0 else str(n)", ['"Fizz"', '"7"', '"11"'], 2],
  ['return n % 2 == 0', ['True', 'False', 'True'], 3],
  ['return [2, 4] if items else []', ['[]', '[2,4]', '[6]'], 1],
  ['return x1 * 1.5', ['-1', '1.5'], 1],
])('results that the code has to compute: %s', (code, results, expected) => {
  expect(countComputed(code, results)).toBe(expected);
});

it('one example is not enough, however much it notices', () => {
  const independent = { ...shown, kind: 'examples', count: 1 } as const;
  expect(grade(evidence, { hasPassed: true, failure: undefined, independent })).toEqual({
    level: 'self_tested',
    missing: 'tests from you, or 3 examples; the request has 1',
  });
});

it.each([
  [
    'RESULTS = {"2024-01-01": 60, "2023-01-01": 59}',
    'f("2024-01-01") == 60; f("2023-01-01") == 59',
    true,
  ],
  ['return round(price * 1.19, 2)', 'f(100) == 119; f(200) == 238', false],
  ['if year % 400 == 0 or year % 100', 'f(2000) is True; f(1900) is False', false],
])('code that consists of the expected results: %s', (code, checks, expected) => {
  expect(holdsResults(code, checks)).toBe(expected);
});

it('tests of the user have to notice what changes behaviour, not every limit', () => {
  const independent = { ...shown, score: 0.8, behaviourScore: 0.84 } as const;
  expect(grade(evidence, { hasPassed: true, failure: undefined, independent })).toEqual({
    level: 'self_tested',
    missing: 'tests of yours that notice 85 % of the changes of the code; these notice 84 %',
  });
});
