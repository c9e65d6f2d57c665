import { expect, it } from 'vitest';
import type { Branch } from '../mutate/add-probes.ts';
import type { MutantKind } from '../mutate/find-mutants.ts';
import {
  findIdle,
  findIdleElsewhere,
  findUnread,
  judgeBranches,
  judgeMutants,
  readBranches,
  Tried,
} from './judge-trials.ts';
import { surroundings, type Trial, type VariantOutcome } from './run-variants.ts';

/** Ten branches, of which some are guards. */
function tenBranches(...guards: number[]): Branch[] {
  return Array.from({ length: 10 }, (_, number) => ({
    id: `${number}+`,
    description: `branch ${number}`,
    isGuard: guards.includes(number),
  }));
}

function judge(all: readonly Branch[], ...missing: number[]): string[] {
  const ran = all.filter((_one, number) => !missing.includes(number)).map(({ id }) => id);
  return judgeBranches(readBranches(all, `noise\nSIGN ${ran.join(' ')}\n`, 'SIGN'), all);
}

it('is content when every branch was run', () => {
  expect(judge(tenBranches())).toEqual([]);
  expect(judge([])).toEqual([]);
});

it('names what was not run', () => {
  expect(judge(tenBranches(), 3, 4)).toEqual([
    'The tests run 8 of 10 branches of the code. Not run: branch 3; branch 4.',
  ]);
});

it('tolerates one guard in ten branches, and nothing beside it', () => {
  expect(judge(tenBranches(3), 3)).toEqual([]);
  expect(judge(tenBranches(3, 4), 3, 4)).toHaveLength(1);
  expect(judge(tenBranches(3), 3, 4)).toHaveLength(1);
  expect(judge(tenBranches(3).slice(0, 9), 3)).toHaveLength(1);
});

function ran(passed: readonly string[], failed: readonly string[]): VariantOutcome {
  return { kind: 'ran', passed, failed, skipped: [], isWhole: true };
}

function aMutant(branch: number, kind: MutantKind = 'constant'): Trial {
  const description = `a change in branch ${branch}`;
  return {
    kind: 'mutant',
    mutant: { kind, function: 'f', description, branch, edits: [] },
  };
}

type Outcome = readonly [Trial, VariantOutcome];

function tried(...all: readonly Outcome[]): Tried {
  const outcomes = all.map(([, outcome]) => outcome);
  return new Tried(
    all.map(([trial]) => trial),
    { outcomes, output: '' },
  );
}

const broken: Trial = { kind: 'broken', test: null };
const elsewhere: Trial = {
  kind: 'surroundings',
  what: surroundings,
  isReversed: false,
  isBroken: true,
};

it('finds tests that check something here alone', () => {
  const onBroken = [broken, ran([], ['a', 'b'])] as const;
  expect(findIdleElsewhere(tried(onBroken, [elsewhere, ran([], ['a', 'b'])]))).toEqual([]);
  expect(findIdleElsewhere(tried(onBroken, [elsewhere, ran(['b'], ['a'])]))).toEqual([
    expect.stringContaining(': b.'),
  ]);
  // It expects that the code fails, here and elsewhere.
  expect(
    findIdleElsewhere(tried([broken, ran(['b'], ['a'])], [elsewhere, ran(['b'], ['a'])])),
  ).toEqual([]);
});

it('takes no test of Go for idle that expects a panic and notices another change', () => {
  const alone: Trial = { kind: 'broken', test: 'TestPanics' };
  const passes = [alone, ran(['TestPanics'], [])] as const;
  expect(findIdle(tried(passes), ['TestPanics'], 'go')).toHaveLength(1);
  const noticed = [aMutant(1), ran([], ['TestPanics'])] as const;
  expect(findIdle(tried(passes, noticed), ['TestPanics'], 'go')).toEqual([]);
});

it('names a function whose result no test looks at, where tests call it', () => {
  const unnoticed = [aMutant(1, 'return'), ran(['own'], [])] as const;
  const noticed = [aMutant(2, 'return'), ran([], ['own'])] as const;
  expect(findUnread(tried(unnoticed), 'assert f(1) > 0')).toEqual([
    'The tests pass whatever these functions return: f.',
  ]);
  expect(findUnread(tried(unnoticed), 'assert g(1) > 0')).toEqual([]);
  expect(findUnread(tried(unnoticed), '  await f(1);\n')).toEqual([]);
  expect(findUnread(tried(unnoticed, noticed), 'assert f(1) > 0')).toEqual([]);
});

const origins = {
  isIndependent: (name: string) => name !== 'own',
  isExample: (name: string) => name === 'example',
};

function judgeAll(...all: readonly Outcome[]): ReturnType<typeof judgeMutants> {
  return judgeMutants(tried(...all), ['own', 'given', 'example'], origins);
}

it('names an alternative that only the author tells from the code', () => {
  const alternative = aMutant(1, 'alternative');
  const byOwn = ran(['given', 'example'], ['own']);
  expect(judgeAll([alternative, byOwn]).undecided).toBe('a change in branch 1');
  const byGiven = ran(['own', 'example'], ['given']);
  expect(judgeAll([alternative, byGiven]).undecided).toBeUndefined();
});

it('names a result or a branch that only the author tests', () => {
  const byGiven = [aMutant(1), ran(['own', 'example'], ['given'])] as const;
  const byOwn = ran(['given', 'example'], ['own']);
  const byNone = ran(['own', 'given', 'example'], []);
  expect(judgeAll(byGiven, [aMutant(1), byOwn]).undecided).toBeUndefined();
  expect(judgeAll(byGiven, [aMutant(2), byOwn]).undecided).toBe('a change in branch 2');
  expect(judgeAll(byGiven, [aMutant(2), byNone]).undecided).toBeUndefined();
  expect(judgeAll(byGiven, [aMutant(1, 'return'), byOwn]).undecided).toBe('a change in branch 1');
  // Nothing may change without it.
  expect(judgeAll(byGiven, [aMutant(1, 'return'), byNone]).undecided).toBeUndefined();
});

it('counts limits and numbers for all tests together, not for independent ones', () => {
  const byGiven = [aMutant(1, 'return'), ran(['own', 'example'], ['given'])] as const;
  const byOwn = ran(['given', 'example'], ['own']);
  const judged = judgeAll(byGiven, [aMutant(1, 'boundary'), byOwn], [aMutant(1), byOwn]);
  expect(judged).toMatchObject({ evidence: { planted: 3, killed: 3 }, behaviourScore: 1 });
});

it('lets examples make up for nothing that tests leave out, unless they are enough alone', () => {
  const byExample = [aMutant(1), ran(['own', 'given'], ['example'])] as const;
  const byOwn = [aMutant(1), ran(['given', 'example'], ['own'])] as const;
  expect(judgeAll(byExample, byOwn).evidence).toMatchObject({ planted: 2, killed: 1 });
  expect(judgeAll(byExample, byExample).evidence).toMatchObject({ planted: 2, killed: 2 });
});
