import { expect, it } from 'vitest';
import type { Evidence } from '../../../contract/generation/index.ts';
import { grade } from './level.ts';

const evidence: Evidence = {
  parsed: true,
  formatted: true,
  lint_errors: 0,
  built: true,
  tests: { written_by: 'given', passed: 1, failed: 0, skipped: 0, are_effective: true },
  coverage_percent: 100,
  branches: { total: 2, run: 2, missing: [] },
  mutants: { planted: 1, killed: 1, survived: [] },
  attempts: 1,
  notes: [],
};

it.each<[string, Partial<Evidence>, boolean, string | null, number?]>([
  ['tests from the user that were passed', {}, true, 'verified', 0.9],
  ['tests from the user that notice too little', {}, true, 'self_tested', 0.89],
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
])('with %s', (_what, known, hasPassed, level, independentScore) => {
  const failure = hasPassed ? undefined : 'a test passed';
  const graded = grade(
    { ...evidence, ...known },
    {
      hasPassed,
      failure,
      independentScore: independentScore ?? null,
    },
  );
  expect(graded.level).toBe(level);
  expect(graded.missing === null).toBe(level === 'verified');
  if (failure !== undefined) expect(graded.missing).toBe(failure);
});
