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

it('names an alternative that only the author tells from the code', () => {
  const outcomes = [ran(['given'], ['own']), ran(['own'], ['given'])];
  const alternative = aMutant(1, 'alternative');
  const judged = outcomes.map((outcome) =>
    judgeMutants(tried([alternative, outcome]), ['own', 'given'], (name) => name === 'given'),
  );
  expect(judged.map(({ undecided }) => undecided)).toEqual(['a change in branch 1', undefined]);
});

it('names a change in a branch that independent tests say nothing about', () => {
  const judgeOwn = (...all: readonly Outcome[]): string | undefined =>
    judgeMutants(tried(...all), ['own', 'given'], (name) => name === 'given').ownOnly;
  const byGiven = [aMutant(1), ran(['own'], ['given'])] as const;
  const byOwn = ran(['given'], ['own']);
  expect(judgeOwn(byGiven, [aMutant(1), byOwn])).toBeUndefined();
  expect(judgeOwn(byGiven, [aMutant(2), byOwn])).toBe('a change in branch 2');
  expect(judgeOwn(byGiven, [aMutant(2), ran(['own', 'given'], [])])).toBeUndefined();
});
