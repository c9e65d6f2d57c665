import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Evidence } from '../../../contract/generation/index.ts';
import { ownFile } from '../../../kernel/index.ts';
import { arrangeTests } from '../mutate/arrange-tests.ts';
import { dissectCode, mutantText, type DissectedCode } from '../mutate/dissect-code.ts';
import { sampleMutants } from '../mutate/sample-mutants.ts';
import type { ParsedLanguage, SyntaxParser } from '../syntax-parser.ts';
import { addCanary } from './add-canary.ts';
import { judgeBranches, readBranches } from './judge-branches.ts';
import { isCommonJs } from './place-files.ts';
import { nameSurroundings } from './name-surroundings.ts';
import { runGoTrials } from './run-go-trials.ts';
import {
  runVariants,
  type Variant,
  type VariantOutcome,
  type VariantRunner,
  type VariantRuns,
} from './run-variants.ts';
import { surroundings, type Trial } from './trial.ts';

export interface TrialRequest {
  readonly runner: VariantRunner;
  readonly parser: SyntaxParser;
  readonly code: string;
  readonly tests: string;
  /** Tests in other files. */
  readonly files: Readonly<Record<string, string>>;
  /** Names of the tests that passed on the code itself. */
  readonly passed: readonly string[];
  /** Whether a test comes from the user or the request. */
  readonly isIndependent: (name: string) => boolean;
}

export interface TrialResult {
  readonly mutants: NonNullable<Evidence['mutants']>;
  readonly branches: Evidence['branches'];
  /** What part of the mutants the tests of the user or the request notice by themselves. */
  readonly independentScore: number;
  /** Why the tests prove too little about the code; empty when they do. */
  readonly doubts: readonly string[];
  readonly notes: readonly string[];
}

/** Mutants in one verification: compiled languages take longer for each. */
const maxMutants: Readonly<Record<ParsedLanguage, number>> = {
  python: 40,
  javascript: 32,
  typescript: 32,
  go: 40,
  java: 6,
  rust: 12,
};
const maxIsolated = 24;
/** The part of the mutants that tests have to notice. */
export const leastScore = 0.8;
const maxShown = 5;

/**
 * Runs the tests on the same program in other words, in other surroundings, in another order and alone, on code that fails, and
 * on mutants; and says what that shows about them. `sign` marks what our own programs print.
 */
export async function tryTests(request: TrialRequest): Promise<TrialResult> {
  const { runner, parser, tests, files, passed } = request;
  const { language, framework } = runner;
  const sign = `S${randomBytes(12).toString('hex')}`;
  const code = await dissectCode(parser, { language, text: request.code }, sign);
  const notes = [
    ...(code.hasEntry ? ['"main" was not tested: tests do not start programs.'] : []),
    ...nameSurroundings(language, request),
  ];
  if (code.functions.length === 0) {
    return { ...nothingTried, notes, doubts: ['There is no function that a test could call.'] };
  }
  const canary = addCanary({ language, tests }, { framework, sign });
  const arranged = hasFolders(language)
    ? await arrangeTests(parser, { language, text: tests })
    : { reversed: tests, alone: goNames(language, passed) };
  const trials = planTrials(code, passed, arranged.alone);
  const run = (more: readonly Trial[]): Promise<VariantRuns> =>
    language === 'go'
      ? runGoTrials({ runner, code, tests, files, canary: canary.text, sign }, more)
      : runFolders(
          { runner, code, tests, files, canary: canary.text, reversed: arranged.reversed },
          more,
        );
  const runs = await run(trials);
  const tried = new Tried(trials, runs);
  const branches = readBranches(code.branches, runs.output, sign);
  const mutants = judgeMutants(tried, passed, request.isIndependent);
  const doubts =
    firstOf(
      () => judgeControl(tried.of('control')[0]?.outcome, canary.names, passed),
      () => judgeBranches(branches, code.branches),
      () => findIdle(tried, passed, language),
      () => judgeAlone(tried),
    ) ??
    (await judgeSurroundings(tried, run)) ??
    judgeScore(mutants.evidence);
  const weak = doubts.length > 0 ? [] : findWeak(tried, passed);
  return {
    mutants: mutants.evidence,
    branches,
    independentScore: mutants.independentScore,
    doubts,
    notes: [...notes, ...weak],
  };
}

const nothingTried: Omit<TrialResult, 'doubts' | 'notes'> = {
  mutants: { planted: 0, killed: 0, survived: [] },
  branches: null,
  independentScore: 0,
};

function firstOf(...checks: (() => readonly string[])[]): readonly string[] | undefined {
  for (const check of checks) {
    const doubts = check();
    if (doubts.length > 0) return doubts;
  }
  return undefined;
}

function hasFolders(language: ParsedLanguage): boolean {
  return language === 'python' || language === 'javascript' || language === 'typescript';
}

function goNames(
  language: ParsedLanguage,
  passed: readonly string[],
): { readonly name: string; readonly text: string }[] {
  if (language !== 'go') return [];
  return topLevel(passed).map((name) => ({ name, text: '' }));
}

function topLevel(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.split('/')[0] ?? name))].slice(0, maxIsolated);
}

function planTrials(
  code: DissectedCode,
  passed: readonly string[],
  alone: readonly { readonly name: string; readonly text: string }[],
): Trial[] {
  const { language } = code;
  const canArrange = language === 'go' || hasFolders(language);
  // A panic ends all tests of a Go package, so each test is looked at alone.
  const broken = language === 'go' ? topLevel(passed) : [null];
  return [
    { kind: 'control' },
    ...(canArrange
      ? [{ kind: 'surroundings', what: surroundings, isReversed: true } as const]
      : []),
    ...alone.map((one) => ({ kind: 'alone', ...one }) as const),
    ...broken.map((test) => ({ kind: 'broken', test }) as const),
    ...(code.silent === null ? [] : [{ kind: 'silent' } as const]),
    ...sampleMutants(code.mutants, maxMutants[language]).map(
      (mutant) => ({ kind: 'mutant', mutant }) as const,
    ),
  ];
}

interface Folders {
  readonly files: Readonly<Record<string, string>>;
  readonly runner: VariantRunner;
  readonly code: DissectedCode;
  readonly tests: string;
  readonly canary: string;
  readonly reversed: string;
}

async function runFolders(folders: Folders, trials: readonly Trial[]): Promise<VariantRuns> {
  const { language } = folders.runner;
  const ending = language === 'python' ? 'py' : 'mjs';
  const program = hasFolders(language)
    ? await readFile(ownFile(`agent/generate/verify/programs/surroundings.${ending}`), 'utf8')
    : '';
  return runVariants(
    folders.runner,
    trials.map((trial) => {
      const variant = variantFor(trial, folders, program);
      const more = trial.kind === 'alone' ? {} : folders.files;
      return { ...variant, files: { ...more, ...variant.files } };
    }),
  );
}

function variantFor(trial: Trial, folders: Folders, program: string): Variant {
  const { code, tests } = folders;
  switch (trial.kind) {
    case 'control':
      return { code: code.probed, tests: folders.canary };
    case 'surroundings': {
      const text = trial.isReversed ? folders.reversed : tests;
      const changed = program
        .replace('"WHAT"', `"${trial.what.join(' ')}"`)
        .replace("'WHAT'", `'${trial.what.join(' ')}'`);
      if (code.language === 'python')
        return { code: code.text, tests: text, files: { 'conftest.py': changed } };
      const load = isCommonJs(tests)
        ? "require('./surroundings.cjs');"
        : "import './surroundings.cjs';";
      return { code: code.text, tests: `${load}\n${text}`, files: { 'surroundings.cjs': changed } };
    }
    case 'alone':
      return { code: code.text, tests: trial.text };
    case 'broken':
      return { code: code.broken, tests };
    case 'silent':
      return { code: code.silent ?? code.text, tests };
    case 'mutant':
      return { code: mutantText(code, trial.mutant), tests };
  }
}

/** Trials with what came of them. */
class Tried {
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

function judgeControl(
  outcome: VariantOutcome | undefined,
  canaries: readonly string[],
  passed: readonly string[],
): string[] {
  if (outcome?.kind !== 'ran') {
    return [
      `The same program in other words could not be tested: ${outcome?.why ?? 'it did not run'}.`,
    ];
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
function findIdle(tried: Tried, passed: readonly string[], language: ParsedLanguage): string[] {
  const runs = tried.of('broken', 'silent');
  const unknown = runs.find(
    ({ trial, outcome }) => trial.kind === 'broken' && outcome.kind !== 'ran',
  );
  if (unknown?.outcome.kind === 'unknown') {
    return [`The tests could not be run on broken code: ${unknown.outcome.why}.`];
  }
  const known = language === 'go' ? topLevel(passed) : passed;
  const idle = known.filter(
    (name) => !runs.some(({ trial, outcome }) => isNoticed(outcome, name, trial)),
  );
  if (idle.length === 0) return [];
  return [
    `These tests pass even when every function of the code fails: ${idle.slice(0, maxShown).join(', ')}. They do not call it, or swallow what it throws.`,
  ];
}

/** Of a run that ended early, tests that were not reported are not known to pass. */
function isNoticed(outcome: VariantOutcome, name: string, trial?: Trial): boolean {
  if (outcome.kind !== 'ran') return false;
  if (trial?.kind === 'broken' && trial.test !== null && trial.test !== name) return false;
  if (outcome.passed.includes(name) || outcome.skipped.includes(name)) return false;
  return outcome.failed.includes(name) || !outcome.isWhole;
}

function judgeAlone(tried: Tried): string[] {
  const failing = tried
    .of('alone')
    .filter(
      ({ outcome }) => outcome.kind === 'ran' && (outcome.failed.length > 0 || !outcome.isWhole),
    );
  if (failing.length === 0) return [];
  const names = failing.slice(0, maxShown).map(({ trial }) => trial.name);
  return [`These tests fail without the others: ${names.join(', ')}.`];
}

async function judgeSurroundings(
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

interface JudgedMutants {
  readonly evidence: NonNullable<Evidence['mutants']>;
  readonly independentScore: number;
}

/** What did not compile, or kept every test from being run, is no mutant. */
function judgeMutants(
  tried: Tried,
  passed: readonly string[],
  isIndependent: (name: string) => boolean,
): JudgedMutants {
  const valid = tried.of('mutant').flatMap(({ trial, outcome }) => {
    if (outcome.kind !== 'ran') return [];
    const seen = [...outcome.passed, ...outcome.failed, ...outcome.skipped];
    if (outcome.isWhole && !passed.some((name) => seen.includes(name))) return [];
    const isKilled = outcome.failed.length > 0 || !outcome.isWhole;
    const isKilledFor = passed.some((name) => isIndependent(name) && isNoticed(outcome, name));
    return [{ description: trial.mutant.description, isKilled, isKilledFor }];
  });
  const survived = valid.filter(({ isKilled }) => !isKilled);
  const independent = valid.filter(({ isKilledFor }) => isKilledFor).length;
  return {
    evidence: {
      planted: valid.length,
      killed: valid.length - survived.length,
      survived: survived.map(({ description }) => description),
    },
    independentScore: valid.length === 0 ? 0 : independent / valid.length,
  };
}

function judgeScore({ planted, killed, survived }: NonNullable<Evidence['mutants']>): string[] {
  if (planted === 0) return ['No change of the code could be tried.'];
  if (killed / planted >= leastScore) return [];
  const shown = survived.slice(0, maxShown).join('; ');
  return [
    `The tests notice ${killed} of ${planted} small changes of the code; ${Math.ceil(planted * leastScore)} are needed. Not noticed: ${shown}.`,
  ];
}

/** Tests that notice nothing but that the code fails. */
function findWeak(tried: Tried, passed: readonly string[]): string[] {
  const runs = tried.of('mutant');
  const weak = passed.filter((name) => !runs.some(({ outcome }) => isNoticed(outcome, name)));
  if (weak.length === 0 || runs.length === 0) return [];
  return [`These tests noticed none of the changes: ${weak.slice(0, maxShown).join(', ')}.`];
}
