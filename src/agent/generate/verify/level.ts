import { levels, type Evidence, type Level } from '../../../contract/generation/index.ts';

export interface Graded {
  readonly level: Level | null;
  /** What the next level needs; null at the highest. */
  readonly missing: string | null;
}

export interface Findings {
  readonly hasPassed: boolean;
  /** The first check that was not passed. */
  readonly failure: string | undefined;
  /** The part of the mutants that tests of the user or the request notice by themselves; null where there are none. */
  readonly independentScore: number | null;
}

/** What independent tests have to notice by themselves for `verified`. */
const leastIndependentScore = 0.9;

/** The one function that says what a level means. */
export function grade(evidence: Omit<Evidence, 'attempts'>, findings: Findings): Graded {
  const { failure, independentScore } = findings;
  const level = levelOf(evidence, findings);
  if (level === 'verified') return { level, missing: null };
  if (level === 'self_tested') {
    const isShort = independentScore !== null;
    return { level, missing: isShort ? describeScore(independentScore) : needs.verified };
  }
  const next = levels[level === null ? 0 : levels.indexOf(level) + 1] ?? 'verified';
  return { level, missing: failure ?? needs[next] };
}

function levelOf(
  evidence: Omit<Evidence, 'attempts'>,
  { hasPassed, independentScore }: Findings,
): Level | null {
  const { parsed, lint_errors, built, tests } = evidence;
  if (!parsed) return null;
  if (built !== true || (lint_errors ?? 0) > 0) return 'parsed';
  if (!hasPassed || tests === null) return 'built';
  return (independentScore ?? 0) >= leastIndependentScore ? 'verified' : 'self_tested';
}

function describeScore(score: number): string {
  const percent = (part: number): string => `${Math.floor(part * 100)} %`;
  return `tests or examples of yours that notice ${percent(leastIndependentScore)} of the changes of the code; yours notice ${percent(score)}`;
}

const needs: Readonly<Record<Level, string>> = {
  parsed: 'text that is valid in its language',
  built: 'code that compiles or loads here',
  self_tested: 'tests that run here and notice when the code is changed',
  verified: 'tests or examples from you: the model wrote these tests itself',
};
