import { randomBytes } from 'node:crypto';
import type { Evidence } from '../../../contract/generation/index.ts';
import { arrangeTests } from '../guard/find-tests.ts';
import { dissectCode, type DissectedCode, mutantText } from '../mutate/dissect-code.ts';
import { sampleMutants } from '../mutate/find-mutants.ts';
import { isScript, type ParsedLanguage, readLanguage, readProgram } from '../language.ts';
import type { SyntaxParser } from '../syntax-tree.ts';
import {
  findIdle,
  findIdleElsewhere,
  findUnread,
  findWeak,
  judgeAlone,
  judgeBranches,
  judgeControl,
  judgeMutants,
  judgeScore,
  judgeSurroundings,
  type JudgedMutants,
  type Origins,
  readBranches,
  topLevel,
  Tried,
} from './judge-trials.ts';
import { isCommonJs } from './place-files.ts';
import { runGoTrials } from './run-go-trials.ts';
import {
  runVariants,
  surroundings,
  type Trial,
  type Variant,
  type VariantRunner,
  type VariantRuns,
} from './run-variants.ts';

export interface TrialRequest extends Origins {
  readonly runner: VariantRunner;
  readonly parser: SyntaxParser;
  readonly code: string;
  readonly tests: string;
  /** Tests in other files. */
  readonly files: Readonly<Record<string, string>>;
  /** Names of the tests that passed on the code itself. */
  readonly passed: readonly string[];
}

export interface TrialResult extends Omit<JudgedMutants, 'evidence'> {
  readonly mutants: NonNullable<Evidence['mutants']>;
  readonly branches: Evidence['branches'];
  /** Why the tests prove too little about the code; empty when they do. */
  readonly doubts: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Runs the tests on an equivalent program, in other surroundings, in another order and alone, on code that fails, and
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
  const canary = addCanary({ language, tests, framework, sign });
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
  const { evidence: mutants, ...judged } = judgeMutants(tried, passed, request);
  const doubts =
    firstOf(
      () => judgeControl(tried.of('control')[0]?.outcome, canary.names, passed),
      () => judgeBranches(branches, code.branches),
      () => findIdle(tried, passed, language),
      () => findIdleElsewhere(tried),
      () => judgeAlone(tried),
      () => findUnread(tried, tests),
    ) ??
    (await judgeSurroundings(tried, run)) ??
    judgeScore(mutants);
  const weak = doubts.length > 0 ? [] : findWeak(tried, passed);
  return {
    mutants,
    branches,
    ...judged,
    doubts,
    notes: [...notes, ...weak],
  };
}

const maxAlternatives = 4;

const nothingTried: Omit<TrialResult, 'doubts' | 'notes'> = {
  mutants: { planted: 0, killed: 0, survived: [] },
  branches: null,
  independentScore: 0,
  behaviourScore: 0,
  undecided: undefined,
};

function firstOf(...checks: (() => readonly string[])[]): readonly string[] | undefined {
  for (const check of checks) {
    const doubts = check();
    if (doubts.length > 0) return doubts;
  }
  return undefined;
}

/** Languages whose variants are run side by side, in folders of one sandbox. */
function hasFolders(language: ParsedLanguage): boolean {
  return language === 'python' || isScript(language);
}

function goNames(
  language: ParsedLanguage,
  passed: readonly string[],
): { readonly name: string; readonly text: string }[] {
  if (language !== 'go') return [];
  return topLevel(passed).map((name) => ({ name, text: '' }));
}

function planTrials(
  code: DissectedCode,
  passed: readonly string[],
  alone: readonly { readonly name: string; readonly text: string }[],
): Trial[] {
  const { language } = code;
  const elsewhere = { kind: 'surroundings', what: surroundings } as const;
  const canArrange = language === 'go' || hasFolders(language);
  // A panic ends all tests of a Go package, so each test is looked at alone.
  const broken = language === 'go' ? topLevel(passed) : [null];
  return [
    { kind: 'control' },
    ...(canArrange ? [{ ...elsewhere, isReversed: true }] : []),
    ...(hasFolders(language) ? [{ ...elsewhere, isReversed: false, isBroken: true }] : []),
    ...alone.map((one) => ({ kind: 'alone', ...one }) as const),
    ...broken.map((test) => ({ kind: 'broken', test }) as const),
    ...(code.silent === null ? [] : [{ kind: 'silent' } as const]),
    ...[
      ...sampleMutants(code.mutants, readLanguage(language).maxMutants),
      ...code.alternatives.slice(0, maxAlternatives),
    ].map((mutant) => ({ kind: 'mutant', mutant }) as const),
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

function runFolders(folders: Folders, trials: readonly Trial[]): Promise<VariantRuns> {
  const variants = trials.map((trial) => {
    const variant = variantFor(trial, folders);
    const more = trial.kind === 'alone' ? {} : folders.files;
    return { ...variant, files: { ...more, ...variant.files } };
  });
  return runVariants(folders.runner, variants);
}

function variantFor(trial: Trial, folders: Folders): Variant {
  const { code, tests } = folders;
  switch (trial.kind) {
    case 'control':
      return { code: code.probed, tests: folders.canary };
    case 'surroundings': {
      const text = trial.isReversed ? folders.reversed : tests;
      const tried = trial.isBroken === true ? code.broken : code.text;
      const isPython = code.language === 'python';
      const program = readProgram(
        isPython ? 'python/surroundings.py' : 'javascript/surroundings.mjs',
      ).replaceAll('WHAT', trial.what.join(' '));
      if (isPython) return { code: tried, tests: text, files: { 'conftest.py': program } };
      const load = isCommonJs(tests)
        ? "require('./surroundings.cjs');"
        : "import './surroundings.cjs';";
      return { code: tried, tests: `${load}\n${text}`, files: { 'surroundings.cjs': program } };
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

/** What code and tests read of the machine, one sentence each. */
export function nameSurroundings(
  language: ParsedLanguage,
  texts: { readonly code: string; readonly tests: string },
): string[] {
  const known = Object.entries(readLanguage(language).surroundings);
  return (['code', 'tests'] as const).flatMap((role) => {
    const found = known.filter(([, pattern]) => pattern.test(texts[role]));
    const names = found
      .map(([name]) => `the ${name}`)
      .join(', ')
      .replace('the random', 'random');
    if (found.length === 0) return [];
    return [
      `The ${role === 'code' ? 'code reads' : 'tests read'} ${names}: results may differ elsewhere.`,
    ];
  });
}

interface WithCanary {
  readonly text: string;
  /** Tests that must be reported as failed. */
  readonly names: readonly string[];
}

/**
 * Adds failing tests to a test file. A run in which they pass or are missing proves nothing about the others: something
 * swallows failures, or ends the run early.
 */
export function addCanary(source: {
  readonly language: ParsedLanguage;
  readonly tests: string;
  readonly framework: string;
  readonly sign: string;
}): WithCanary {
  const { language, tests, framework, sign } = source;
  const id = randomBytes(5).toString('hex');
  const { canary } = readLanguage(language);
  const isJunit4 = language === 'java' && /\borg\.junit\.(?!jupiter)/.test(tests);
  const kind =
    isScript(language) && isCommonJs(tests) ? 'commonjs' : isJunit4 ? 'junit4' : framework;
  const text = (canary[kind] ?? canary['default'] ?? '')
    .replaceAll('«id»', id)
    .replaceAll('«sign»', sign);
  const names = [...new Set(text.match(new RegExp(`c\\d?${id}`, 'g')))];
  // Go's is a file of its own; a method of Java goes before the end of the class.
  if (language === 'go') return { text, names };
  if (language !== 'java') return { text: `${tests}\n\n${text}`, names };
  const end = tests.lastIndexOf('}');
  return { text: `${tests.slice(0, end)}\n${text}${tests.slice(end)}`, names };
}
