import { levels, type Evidence, type Level } from '../../../contract/generation/index.ts';

export interface Graded {
  readonly level: Level | null;
  /** What the next level needs; null at the highest. */
  readonly missing: string | null;
}

/** The one function that says what a level means. `failure`: the first check that was not passed. */
export function grade(
  evidence: Omit<Evidence, 'attempts'>,
  { hasPassed, failure }: { readonly hasPassed: boolean; readonly failure: string | undefined },
): Graded {
  const level = levelOf(evidence, hasPassed);
  if (level === 'verified') return { level, missing: null };
  if (level === 'self_tested') return { level, missing: needs.verified };
  const next = levels[level === null ? 0 : levels.indexOf(level) + 1] ?? 'verified';
  return { level, missing: failure ?? needs[next] };
}

function levelOf(evidence: Omit<Evidence, 'attempts'>, hasPassed: boolean): Level | null {
  const { parsed, lint_errors, built, tests } = evidence;
  if (!parsed) return null;
  if (built !== true || (lint_errors ?? 0) > 0) return 'parsed';
  if (!hasPassed || tests === null) return 'built';
  return tests.written_by === 'given' ? 'verified' : 'self_tested';
}

const needs: Readonly<Record<Level, string>> = {
  parsed: 'text that is valid in its language',
  built: 'code that compiles or loads here',
  self_tested: 'tests that run here and notice when the code is changed',
  verified: 'tests or examples from you: the model wrote these tests itself',
};
