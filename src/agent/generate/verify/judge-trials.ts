import type { Evidence } from '../../../contract/generation/index.ts';
import type { ParsedLanguage } from '../language.ts';
import type { Branch } from '../mutate/add-probes.ts';
import type { MutantKind } from '../mutate/find-mutants.ts';
import { surroundings, type Trial, type VariantOutcome, type VariantRuns } from './run-variants.ts';

/** The part of the mutants that tests have to notice. */
const leastScore = 0.8;
const maxShown = 5;
const maxIsolated = 24;

export function topLevel(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.split('/')[0] ?? name))].slice(0, maxIsolated);
}

/** Trials with their outcomes. */
export class Tried {
  readonly #all: readonly { readonly trial: Trial; readonly outcome: VariantOutcome }[];

  constructor(trials: readonly Trial[], { outcomes }: VariantRuns) {
    const unknown: VariantOutcome = { kind: 'unknown', why: 'it was not run' };
    this.#all = trials.map((trial, index) => ({ trial, outcome: outcomes[index] ?? unknown }));
  }

  of<Kind extends Trial['kind']>(
    ...kinds: Kind[]
  ): { readonly trial: Extract<Trial, { kind: Kind }>; readonly outcome: VariantOutcome }[] {
    return this.#all.flatMap(({ trial, outcome }) =>
      isOf(trial, kinds) ? [{ trial, outcome }] : [],
    );
  }
}

function isOf<Kind extends Trial['kind']>(
  trial: Trial,
  kinds: readonly Kind[],
): trial is Extract<Trial, { kind: Kind }> {
  return kinds.some((kind) => kind === trial.kind);
}

export function judgeControl(
  outcome: VariantOutcome | undefined,
  canaries: readonly string[],
  passed: readonly string[],
): string[] {
  if (outcome?.kind !== 'ran') {
    return [`An equivalent program could not be tested: ${outcome?.why ?? 'it did not run'}.`];
  }
  const isCanary = (name: string): boolean => canaries.some((canary) => name.includes(canary));
  const caught = canaries.filter((canary) => outcome.failed.some((name) => name.includes(canary)));
  if (caught.length < canaries.length || !outcome.isWhole) {
    return [
      'A test that fails, put beside the others, was not reported as failed: something hides failures.',
    ];
  }
  const failed = outcome.failed.filter((name) => !isCanary(name));
  const missing = passed.filter((name) => !name.includes('/') && !outcome.passed.includes(name));
  if (failed.length === 0 && missing.length === 0) return [];
  const names = [...new Set([...failed, ...missing])].slice(0, maxShown).join(', ');
  return [
    `These tests look at the text of the code, compare with what equals everything, or change from run to run: ${names}.`,
  ];
}

/** Tests that pass though every function fails: they do not call the code, or swallow what it throws. */
export function findIdle(
  tried: Tried,
  passed: readonly string[],
  language: ParsedLanguage,
): string[] {
  const runs = tried.of('broken', 'silent');
  const unknown = runs.find(
    ({ trial, outcome }) => trial.kind === 'broken' && outcome.kind !== 'ran',
  );
  if (unknown?.outcome.kind === 'unknown') {
    return [`The tests could not be run on broken code: ${unknown.outcome.why}.`];
  }
  const known = language === 'go' ? topLevel(passed) : passed;
  // A test of Go that expects a panic gets one from code that fails; a mutant shows that it looks at more.
  const mutants = language === 'go' ? tried.of('mutant') : [];
  const idle = known.filter(
    (name) =>
      !runs.some(({ trial, outcome }) => isNoticed(outcome, name, trial)) &&
      !mutants.some(({ outcome }) => outcome.kind === 'ran' && outcome.failed.includes(name)),
  );
  if (idle.length === 0) return [];
  return [
    `These tests pass even when every function of the code fails: ${idle.slice(0, maxShown).join(', ')}. They do not call it, or swallow what it throws.`,
  ];
}

/** Tests that fail on broken code here, and pass on it in other surroundings: there they check nothing. */
export function findIdleElsewhere(tried: Tried): string[] {
  const broken = tried.of('surroundings').find(({ trial }) => trial.isBroken)?.outcome;
  const passed = broken?.kind === 'ran' ? broken.passed : [];
  const here = tried.of('broken');
  const idle = passed.filter((name) => here.some(({ outcome }) => isNoticed(outcome, name)));
  if (idle.length === 0) return [];
  const names = idle.slice(0, maxShown).join(', ');
  return [
    `These tests check nothing at another time, in another zone or on another host: ${names}.`,
  ];
}

/** Of a run that ended early, tests that were not reported are not known to pass. */
function isNoticed(outcome: VariantOutcome, name: string, trial?: Trial): boolean {
  if (outcome.kind !== 'ran') return false;
  if (trial?.kind === 'broken' && trial.test !== null && trial.test !== name) return false;
  if (outcome.passed.includes(name) || outcome.skipped.includes(name)) return false;
  return outcome.failed.includes(name) || !outcome.isWhole;
}

export function judgeAlone(tried: Tried): string[] {
  const failing = tried
    .of('alone')
    .filter(
      ({ outcome }) => outcome.kind === 'ran' && (outcome.failed.length > 0 || !outcome.isWhole),
    );
  if (failing.length === 0) return [];
  const names = failing.slice(0, maxShown).map(({ trial }) => trial.name);
  return [`These tests fail without the others: ${names.join(', ')}.`];
}

export async function judgeSurroundings(
  tried: Tried,
  run: (trials: readonly Trial[]) => Promise<VariantRuns>,
): Promise<readonly string[] | undefined> {
  const [all] = tried.of('surroundings');
  const failed = failuresOf(all?.outcome);
  if (failed.length === 0) return undefined;
  const single: Trial[] = [
    { kind: 'surroundings', what: [], isReversed: true },
    ...surroundings.map(
      (one) => ({ kind: 'surroundings', what: [one], isReversed: false }) as const,
    ),
  ];
  const { outcomes } = await run(single);
  const causes = ['order of the tests', ...surroundings].filter(
    (_cause, index) => failuresOf(outcomes[index]).length > 0,
  );
  const cause =
    causes.length > 0 ? `another ${causes.join(', ')}` : 'other surroundings, or now and then';
  return [`The tests do not pass with ${cause}: ${failed.slice(0, maxShown).join(', ')}.`];
}

function failuresOf(outcome: VariantOutcome | undefined): readonly string[] {
  if (outcome?.kind !== 'ran') return [];
  if (outcome.failed.length === 0 && !outcome.isWhole) return ['the whole run'];
  return outcome.failed;
}

export interface JudgedMutants {
  readonly evidence: NonNullable<Evidence['mutants']>;
  /** The part that independent tests notice. */
  readonly independentScore: number;
  /** The part that they notice of what changes behaviour. */
  readonly behaviourScore: number;
  /** A change that independent tests have to notice, each of them, and do not. */
  readonly undecided: string | undefined;
}

/** Limits and numbers: one test of the user for each would be much to ask. All others change what the code does. */
const details: ReadonlySet<MutantKind> = new Set(['boundary', 'constant']);

/**
 * What did not compile, or kept every test from being run, is no mutant. Examples make up for nothing that the tests do not notice, unless
 * they are enough by themselves.
 */
export function judgeMutants(
  tried: Tried,
  passed: readonly string[],
  { isIndependent, isExample }: Origins,
): JudgedMutants {
  const valid = tried.of('mutant').flatMap(({ trial: { mutant }, outcome }) => {
    if (outcome.kind !== 'ran') return [];
    const { failed, isWhole } = outcome;
    const seen = [...outcome.passed, ...failed, ...outcome.skipped];
    if (isWhole && !passed.some((name) => seen.includes(name))) return [];
    const isByExamples = !isWhole || failed.some(isExample);
    const isByTests = !isWhole || failed.some((name) => !isExample(name));
    const isByGiven = passed.some((name) => isIndependent(name) && isNoticed(outcome, name));
    const place = `${mutant.function} ${mutant.branch}`;
    return [{ ...mutant, place, isByExamples, isByTests, isByGiven }];
  });
  const areExamplesEnough = partOf(valid, ({ isByExamples }) => isByExamples) >= leastScore;
  const survived = valid.filter(
    (one) => !one.isByTests && !(areExamplesEnough && one.isByExamples),
  );
  const behaviour = valid.filter(({ kind }) => !details.has(kind));
  const reached = new Set(valid.flatMap(({ isByGiven, place }) => (isByGiven ? place : [])));
  const open = valid.filter(({ isByGiven }) => !isByGiven);
  return {
    evidence: {
      planted: valid.length,
      killed: valid.length - survived.length,
      survived: survived.map(({ description }) => description),
    },
    independentScore: partOf(valid, ({ isByGiven }) => isByGiven),
    behaviourScore: partOf(behaviour, ({ isByGiven }) => isByGiven),
    undecided: open.find(
      ({ kind, isByTests, place }) =>
        kind === 'alternative' || (isByTests && (kind === 'return' || !reached.has(place))),
    )?.description,
  };
}

function partOf<One>(all: readonly One[], is: (one: One) => boolean): number {
  return all.length === 0 ? 0 : all.filter(is).length / all.length;
}

/** Where a test comes from, by its name. */
export interface Origins {
  /** From the user or the request. */
  readonly isIndependent: (name: string) => boolean;
  /** From an example in the request. */
  readonly isExample: (name: string) => boolean;
}

export function judgeScore({
  planted,
  killed,
  survived,
}: NonNullable<Evidence['mutants']>): string[] {
  if (planted === 0) return ['No change of the code could be tried.'];
  if (killed / planted >= leastScore) return [];
  const shown = survived.slice(0, maxShown).join('; ');
  return [
    `The tests notice ${killed} of ${planted} small changes of the code; ${Math.ceil(planted * leastScore)} are needed. Not noticed: ${shown}.`,
  ];
}

/**
 * A function whose result can be any other, though tests call it within an expression. Not methods: what they return is often there
 * to be awaited or chained alone.
 */
export function findUnread(tried: Tried, tests: string): string[] {
  const results = tried.of('mutant').filter(({ trial }) => trial.mutant.kind === 'return');
  const byName = Map.groupBy(results, ({ trial }) => trial.mutant.function);
  const unread = [...byName].filter(
    ([name, all]) =>
      !name.includes('.') &&
      all.every(({ outcome }) => outcome.kind === 'ran' && failuresOf(outcome).length === 0) &&
      new RegExp(`[^\\s;{}].*\\b(?<!^\\s*await )${RegExp.escape(name)}\\(`, 'm').test(tests),
  );
  if (unread.length === 0) return [];
  const names = unread.slice(0, maxShown).map(([name]) => name);
  return [`The tests pass whatever these functions return: ${names.join(', ')}.`];
}

/** Tests that notice nothing but that the code fails. */
export function findWeak(tried: Tried, passed: readonly string[]): string[] {
  const runs = tried.of('mutant');
  const weak = passed.filter((name) => !runs.some(({ outcome }) => isNoticed(outcome, name)));
  if (weak.length === 0 || runs.length === 0) return [];
  return [`These tests noticed none of the changes: ${weak.slice(0, maxShown).join(', ')}.`];
}

/** The branches that the probed program printed. */
export function readBranches(
  all: readonly Branch[],
  output: string,
  sign: string,
): Evidence['branches'] {
  if (all.length === 0) return null;
  const lines = output.split('\n').filter((line) => line.includes(`${sign} `));
  const ran = new Set(lines.flatMap((line) => line.slice(line.indexOf(sign)).trim().split(' ')));
  const missing = all.filter(({ id }) => !ran.has(id));
  return {
    total: all.length,
    run: all.length - missing.length,
    missing: missing.map(({ description }) => description),
  };
}

/** Guards that no test gets to are tolerated up to this part of the branches. */
const mostGuards = 0.1;

/** Why too few branches were run; empty when all were that have to be. */
export function judgeBranches(branches: Evidence['branches'], all: readonly Branch[]): string[] {
  if (branches === null || branches.missing.length === 0) return [];
  const guards = new Set(all.flatMap((one) => (one.isGuard ? [one.description] : [])));
  const areGuards = branches.missing.every((description) => guards.has(description));
  if (areGuards && branches.missing.length <= branches.total * mostGuards) return [];
  const shown = branches.missing.slice(0, maxShown).join('; ');
  return [
    `The tests run ${branches.run} of ${branches.total} branches of the code. Not run: ${shown}.`,
  ];
}
