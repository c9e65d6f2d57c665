import type { Evidence } from '../../../contract/generation/index.ts';
import {
  breakFunctions,
  chooseMutants,
  describeMutant,
  type Mutant,
} from '../mutate/choose-mutants.ts';
import type { DissectedCode, DissectedFunction } from '../mutate/dissect-code.ts';
import { addCanary } from './add-canary.ts';
import {
  isLate,
  runVariants,
  type Variant,
  type VariantOutcome,
  type VariantRunner,
} from './run-variants.ts';

export interface EffectRequest {
  readonly runner: VariantRunner;
  readonly code: DissectedCode;
  readonly tests: string;
  /** Names of the tests that passed on the code itself. */
  readonly passed: readonly string[];
  readonly linesNotRun: ReadonlySet<number>;
}

export interface Effect {
  readonly mutants: NonNullable<Evidence['mutants']>;
  /** Why the tests prove nothing about the code; empty when they do. */
  readonly doubts: readonly string[];
}

const noMutants = { planted: 0, killed: 0, survived: [] };

/**
 * Whether tests that pass would fail if the code were wrong. They must pass on another text of the same program,
 * beside a test that fails and is told; each of them must fail when every function does; and of each function they
 * must notice a change of what it computes.
 */
export async function measureEffect(request: EffectRequest): Promise<Effect> {
  const { code } = request;
  if (code.functions.length === 0) {
    return { mutants: noMutants, doubts: ['There is no function that a test could call.'] };
  }
  const effect = await tryTests(request);
  if (!isLate(request.runner)) return effect;
  return { ...effect, doubts: ['There was not enough time to try the tests: they take too long.'] };
}

async function tryTests(request: EffectRequest): Promise<Effect> {
  const control = controlOf(request);
  const stages = request.runner.language === 'go' ? await runTogether(request, control) : undefined;
  const [controlled] = stages?.control ?? (await runVariants(request.runner, [control.variant]));
  const doubts = judgeControl(request, control.canaries, controlled);
  if (doubts.length > 0) return { mutants: noMutants, doubts };
  const idle = await findIdleTests(request, stages?.broken);
  if (idle.length > 0) return { mutants: noMutants, doubts: idle };
  return plantMutants(request, stages?.mutants);
}

interface Control {
  readonly variant: Variant;
  readonly canaries: readonly string[];
}

function controlOf({ runner, code, tests }: EffectRequest): Control {
  const { text, names } = addCanary({ language: runner.language, tests }, runner.framework);
  return { variant: { code: code.rewritten, tests: text }, canaries: names };
}

function judgeControl(
  { passed }: EffectRequest,
  canaries: readonly string[],
  outcome: VariantOutcome | undefined,
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
  const missing = passed.filter((name) => !outcome.passed.includes(name));
  if (failed.length === 0 && missing.length === 0) return [];
  const names = [...new Set([...failed, ...missing])].slice(0, 3).join(', ');
  return [
    `These tests look at the text of the code, compare with what equals everything, or change from run to run: ${names}.`,
  ];
}

const maxIsolated = 12;

/** Tests that pass though every function fails: they do not call the code, or swallow what it throws. */
async function findIdleTests(
  request: EffectRequest,
  known: readonly VariantOutcome[] | undefined,
): Promise<string[]> {
  const { runner, code, tests, passed } = request;
  if (runner.language === 'go') {
    const idle = isolatedNames(passed).filter((_name, index) => {
      const outcome = known?.[index];
      return outcome?.kind === 'ran' && outcome.failed.length === 0;
    });
    const unknown = known?.find((outcome) => outcome.kind === 'unknown');
    if (unknown?.kind === 'unknown') {
      return [`The tests could not be run on broken code: ${unknown.why}.`];
    }
    return describeIdle(idle);
  }
  const [broken] = await runVariants(runner, [{ code: code.broken, tests }]);
  if (broken?.kind !== 'ran') {
    return [`The tests could not be run on broken code: ${broken?.why ?? 'nothing was reported'}.`];
  }
  const stillPassing = broken.passed;
  if (stillPassing.length === 0 || code.silent === null) return describeIdle(stillPassing);
  // A test that expects an error is content with any; one that says nothing does not throw.
  const [silent] = await runVariants(runner, [{ code: code.silent, tests }]);
  if (silent?.kind !== 'ran') return describeIdle(stillPassing);
  return describeIdle(stillPassing.filter((name) => silent.passed.includes(name)));
}

function describeIdle(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [
    `These tests pass even when every function of the code fails: ${names.slice(0, 5).join(', ')}. They do not call it, or swallow what it throws.`,
  ];
}

/** A panic ends all tests of a Go package, so each test is looked at alone. */
function isolatedNames(passed: readonly string[]): string[] {
  return [...new Set(passed.map((name) => name.split('/')[0] ?? name))].slice(0, maxIsolated);
}

/** The other tests by names that Go does not take for tests. */
function isolateGoTest(tests: string, name: string): string {
  return tests.replaceAll(/^func ((?:Test|Example|Fuzz|Benchmark)\w{0,200})\(/gm, (whole, found) =>
    found === name ? whole : `func other${found}(`,
  );
}

interface Together {
  readonly control: readonly VariantOutcome[];
  readonly broken: readonly VariantOutcome[];
  readonly mutants: readonly VariantOutcome[];
}

async function runTogether(request: EffectRequest, control: Control): Promise<Together> {
  const isolated = isolatedNames(request.passed).map((name) => ({
    code: request.code.broken,
    tests: isolateGoTest(request.tests, name),
  }));
  const mutants = firstMutants(request).map(({ text }) => ({ code: text, tests: request.tests }));
  const outcomes = await runVariants(request.runner, [control.variant, ...isolated, ...mutants]);
  return {
    control: outcomes.slice(0, 1),
    broken: outcomes.slice(1, 1 + isolated.length),
    mutants: outcomes.slice(1 + isolated.length),
  };
}

const firstWave = 2;
const secondWave = 5;
const maxMutants = 60;

function firstMutants({ code, linesNotRun }: EffectRequest): Mutant[] {
  const choice = { maxPerFunction: firstWave, offset: 0, linesNotRun };
  return chooseMutants(code, code.functions, choice).slice(0, maxMutants);
}

/**
 * Functions none of whose first changes are noticed get more of them: a change may well change nothing. Those in
 * which no change compiles fail as a whole.
 */
async function plantMutants(
  request: EffectRequest,
  known: readonly VariantOutcome[] | undefined,
): Promise<Effect> {
  const { runner, code, tests, linesNotRun } = request;
  const run = (mutants: readonly Mutant[]): Promise<VariantOutcome[]> =>
    runVariants(
      runner,
      mutants.map(({ text }) => ({ code: text, tests })),
    );
  const first = firstMutants(request);
  const judged = judge(request, first, known ?? (await run(first)));
  const unnoticed = (): DissectedFunction[] =>
    code.functions.filter((site) => !isNoticed(site, judged));
  const choice = { maxPerFunction: secondWave, offset: firstWave, linesNotRun };
  // What a test overlooks in the result itself, it overlooks.
  const undecided = unnoticed().filter((site) => resultsOf(site, judged).length === 0);
  const second = chooseMutants(code, undecided, choice).slice(0, maxMutants);
  judged.push(...judge(request, second, await run(second)));
  const whole = breakFunctions(
    code,
    unnoticed().filter(({ name }) => !judged.some(({ mutant }) => mutant.function === name)),
  );
  judged.push(...judge(request, whole, await run(whole)));
  const survived = judged.filter(({ fate }) => fate === 'survived');
  return {
    mutants: {
      planted: judged.length,
      killed: judged.length - survived.length,
      survived: survived.map(({ mutant }) => describeMutant(mutant)),
    },
    doubts: unnoticed().map(({ name }) => `No test notices when ${name} gives something else.`),
  };
}

const constructors = /(?:^|\.)(?:__init__|__post_init__|constructor)$/;

interface Judged {
  readonly mutant: Mutant;
  readonly fate: 'killed' | 'survived';
  /** By a test that looks at what the function does, not by an error on the way or a time limit. */
  readonly isNoticed: boolean;
}

/** What did not compile, or kept every test from being run, is no mutant. */
function judge(
  { passed }: EffectRequest,
  mutants: readonly Mutant[],
  outcomes: readonly VariantOutcome[],
): Judged[] {
  return mutants.flatMap((mutant, index): Judged[] => {
    const outcome = outcomes[index];
    if (outcome?.kind !== 'ran') return [];
    const seen = [...outcome.passed, ...outcome.failed, ...outcome.skipped];
    if (outcome.isWhole && !passed.some((name) => seen.includes(name))) return [];
    // A test that steps aside has noticed nothing.
    const isEvaded = outcome.failed.length === 0 && outcome.skipped.length > 0;
    const isKilled = !isEvaded && (outcome.failed.length > 0 || !outcome.isWhole);
    if (!isKilled) return [{ mutant, fate: 'survived', isNoticed: false }];
    // Of a result that was changed into another of its type nothing but a look at it makes an error.
    // So it is of what a constructor no longer stores.
    const isTold = mutant.mutation.kind === 'result' || constructors.test(mutant.function);
    const isNoticed = outcome.isAsserted || (isTold && outcome.failed.length > 0);
    return [{ mutant, fate: 'killed', isNoticed: isNoticed || !mutant.isTelling }];
  });
}

/**
 * A test noticed that the result was changed; where it cannot be, another change of what is computed; where there is
 * none, that the function fails.
 */
function isNoticed(site: DissectedFunction, judged: readonly Judged[]): boolean {
  const own = judged.filter(({ mutant }) => mutant.function === site.name);
  const results = resultsOf(site, judged);
  const telling = own.filter(({ mutant }) => mutant.isTelling);
  const counted = [results, telling, own].find(({ length }) => length > 0) ?? [];
  return counted.some((one) => one.isNoticed);
}

function resultsOf(site: DissectedFunction, judged: readonly Judged[]): Judged[] {
  return judged.filter(
    ({ mutant }) => mutant.function === site.name && mutant.mutation.kind === 'result',
  );
}
