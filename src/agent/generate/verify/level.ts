import { type Evidence, type Level, levels } from '../../../contract/generation/index.ts';
import { countClauses, findState, findUnshown, proseOf } from './find-unshown.ts';
import type { TrialResult } from './try-tests.ts';
import type { ExampleTests } from './write-example-tests.ts';

export interface Graded {
  readonly level: Level | null;
  /** What the next level needs; null at the highest. */
  readonly missing: string | null;
}

export interface Independent {
  readonly kind: 'tests' | 'examples';
  readonly count: number;
  /** The more the request says, the more examples. */
  readonly needed: number;
  /** The part of the mutants that they notice without the author's own tests. */
  readonly score: number;
  /** And of those that change behaviour. */
  readonly behaviourScore: number;
  /** What they leave open of the request, or the choice between two programs. */
  readonly unshown: string | undefined;
  /** How many of them expect a result that the code has to compute. */
  readonly computed: number;
  /** The code contains the results that they expect. */
  readonly holdsResults: boolean;
}

export interface Findings {
  readonly hasPassed: boolean;
  /** The first check that was not passed. */
  readonly failure: string | undefined;
  /** What tests of the user or examples of the request show by themselves; null where there are none. */
  readonly independent: Independent | null;
}

/** For `verified`: the part of the mutants that all tests have to notice, and what independent ones have to by themselves. */
export const leastVerifiedScore = 0.9;
const leastAlone = { tests: 0.7, examples: 0.9 } as const;
/** Of the mutants that change more than a limit or a number. */
const leastBehaviour = 0.85;
/** One example shows little, however much of the code it runs. */
const leastExamples = 3;
/** Results that stand in the code could be returned by it for these examples alone. */
const leastComputed = 2;

/** The one function that says what a level means. */
export function grade(evidence: Omit<Evidence, 'attempts'>, findings: Findings): Graded {
  const { failure, independent } = findings;
  const level = levelOf(evidence, findings);
  if (level === 'verified') return { level, missing: null };
  if (level === 'self_tested') {
    const missing = lackOf(independent, evidence.mutants) ?? needs.verified;
    return { level, missing };
  }
  const next = levels[level === null ? 0 : levels.indexOf(level) + 1] ?? 'verified';
  return { level, missing: failure ?? needs[next] };
}

function levelOf(
  evidence: Omit<Evidence, 'attempts'>,
  { hasPassed, independent }: Findings,
): Level | null {
  const { parsed, lint_errors, built, tests, mutants } = evidence;
  if (!parsed) return null;
  if (built !== true || (lint_errors ?? 0) > 0) return 'parsed';
  if (!hasPassed || tests === null) return 'built';
  return lackOf(independent, mutants) === undefined ? 'verified' : 'self_tested';
}

/** What independent checks lack for `verified`. */
function lackOf(independent: Independent | null, mutants: Evidence['mutants']): string | undefined {
  if (independent === null) return needs.verified;
  const { kind, count, needed, score, behaviourScore, unshown, computed } = independent;
  if (independent.holdsResults) return `code that does not contain the results of your ${kind}`;
  if (count < needed) return `tests from you, or ${needed} examples; the request has ${count}`;
  if (unshown !== undefined) return unshown;
  if (score < leastAlone[kind]) return describeScore(`${kind} of yours`, leastAlone[kind], score);
  if (behaviourScore < leastBehaviour) {
    return describeScore(`${kind} of yours`, leastBehaviour, behaviourScore);
  }
  if (kind === 'examples' && computed < leastComputed) {
    return `${leastComputed} examples whose results do not stand in the code; the request has ${computed}`;
  }
  const all = scoreOf(mutants);
  return all < leastVerifiedScore ? describeScore('tests', leastVerifiedScore, all) : undefined;
}

export function scoreOf(mutants: Evidence['mutants']): number {
  return mutants === null || mutants.planted === 0 ? 0 : mutants.killed / mutants.planted;
}

function describeScore(what: string, needed: number, score: number): string {
  const percent = (part: number): string => `${Math.floor(part * 100)} %`;
  return `${what} that notice ${percent(needed)} of the changes of the code; these notice ${percent(score)}`;
}

const needs: Readonly<Record<Level, string>> = {
  parsed: 'text that is valid in its language',
  built: 'code that compiles or loads here',
  self_tested: 'tests that run here and notice when the code is changed',
  verified: 'tests or examples from you: the model wrote these tests itself',
};

/** What the user's tests, or else the examples of the request, show about code; null where there are none. */
export function weighIndependent(
  source: { readonly code: string; readonly request: string; readonly tests: string | null },
  { examples, results, areArgumentsKept }: ExampleTests,
  { trials, count }: { readonly trials: TrialResult; readonly count: number },
): Independent | null {
  const { code, tests } = source;
  if (count === 0) return null;
  const kind = tests === null ? 'examples' : 'tests';
  const checks = tests ?? examples.map(({ text }) => text).join('\n');
  const prose = proseOf(source.request, examples);
  const state = tests === null ? findState(code) : undefined;
  const open = [
    trials.undecided && `${kind} of yours that tell the code from another: ${trials.undecided}`,
    state &&
      `${kind} of yours that call it more than once: the code keeps "${state}" between calls`,
    findUnshown(prose, { kind, checks, code, areArgumentsKept }),
  ];
  return {
    kind,
    count,
    needed: tests === null ? Math.max(leastExamples, countClauses(prose) + 1) : 1,
    score: trials.independentScore,
    behaviourScore: trials.behaviourScore,
    unshown: open.find((one) => one !== undefined),
    computed: tests === null ? countComputed(code, results) : count,
    holdsResults: holdsResults(code, checks),
  };
}

/** How many expected results, as the language writes them, are not literals of the code. Truth values are computed. */
export function countComputed(code: string, results: readonly string[]): number {
  const compact = (text: string): string => text.replaceAll(/\s+/g, '').replaceAll("'", '"');
  const numbers = new Set(code.match(/(?<![\w.])\d+(?:\.\d+)?(?![\w.])/g));
  const body = compact(code);
  return results.filter((result) => {
    if (/^(?:true|false)$/i.test(result)) return true;
    if (/^-?[\d.]+$/.test(result)) return !numbers.has(result.replace('-', ''));
    return !body.includes(compact(result));
  }).length;
}

/** Whether most of the telling literals of the code stand in what checks it: a table of the expected results. */
export function holdsResults(code: string, checks: string): boolean {
  const literals = (text: string): Set<string> =>
    new Set(
      [...text.matchAll(/(["'])((?:\\.|(?!\1).){2,200})\1|\b\d{2,}(?:\.\d+)?\b/g)].map(
        ([whole, , inside]) => inside ?? whole,
      ),
    );
  const own = [...literals(code)];
  const known = literals(checks);
  const shared = own.filter((literal) => known.has(literal)).length;
  return shared >= 2 && shared >= own.length * 0.6;
}
