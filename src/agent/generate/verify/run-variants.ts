import type { CallContext } from '../../../contract/server/index.ts';
import type { ParsedLanguage } from '../language.ts';
import type { ToolCaller } from '../tool-caller.ts';
import { extraFiles, type Placement, wholeMs } from './place-files.ts';
import { runSuite, type SuiteReport, type SuiteRun } from './tool-checks.ts';
import type { Mutant } from '../mutate/find-mutants.ts';

/** Code and tests that are run to see which tests fail. */
export interface Variant {
  readonly code: string;
  readonly tests: string;
  /** Beside code and tests. */
  readonly files?: Readonly<Record<string, string>>;
}

export type VariantOutcome =
  /** Names of the tests; `isWhole`: the run completed. */
  | {
      readonly kind: 'ran';
      readonly passed: readonly string[];
      readonly failed: readonly string[];
      readonly skipped: readonly string[];
      readonly isWhole: boolean;
    }
  /** It did not compile, or could not be run: that says nothing about the tests. */
  | { readonly kind: 'unknown'; readonly why: string };

export interface VariantRuns {
  readonly outcomes: readonly VariantOutcome[];
  /** What all of them printed. */
  readonly output: string;
}

export interface VariantRunner {
  readonly tools: ToolCaller;
  readonly language: ParsedLanguage;
  /** As `exec.run_tests` names it. */
  readonly framework: string;
  readonly placement: Placement;
  /** For one variant. */
  readonly wallMs: number;
  readonly context: CallContext;
}

const maxTogether = 2;
const startMs = 20_000;

/** Runs variants, many of them in one sandbox; those of Java and Rust one by one. */
export async function runVariants(
  runner: VariantRunner,
  variants: readonly Variant[],
): Promise<VariantRuns> {
  if (runner.language === 'java' || runner.language === 'rust') return runEach(runner, variants);
  const placed = variants.map((variant, index) => ({ folder: folderOf(index), variant }));
  const batches = Array.from({ length: maxTogether }, (_, batch) =>
    placed.filter((_one, index) => index % maxTogether === batch),
  ).filter(({ length }) => length > 0);
  const runs = (await Promise.all(batches.map((batch) => runToTheEnd(runner, batch)))).flat();
  const outcomes = new Map(runs.flatMap((run) => [...run.outcomes]));
  return {
    outcomes: placed.map(({ folder }) => outcomes.get(folder) ?? noOutcome),
    output: runs.map(({ output }) => output).join('\n'),
  };
}

const noOutcome: VariantOutcome = { kind: 'unknown', why: 'it was not run' };

function folderOf(index: number): string {
  return `v${String(index).padStart(4, '0')}`;
}

interface Placed {
  readonly folder: string;
  readonly variant: Variant | undefined;
}

interface BatchRun {
  /** By folder. */
  readonly outcomes: ReadonlyMap<string, VariantOutcome>;
  readonly output: string;
}

const maxRestarts = 10;

/**
 * One variant that takes all memory ends the run of its whole batch. Those that were running then are run alone, where such an end
 * is theirs, and those after them in a batch again.
 */
async function runToTheEnd(runner: VariantRunner, batch: readonly Placed[]): Promise<BatchRun[]> {
  const done: BatchRun[] = [];
  let rest = batch;
  for (let restart = 0; rest.length > 0 && restart <= maxRestarts; restart += 1) {
    const run = await runBatch(runner, rest);
    if (run.kind === 'impossible' || run.report.reason === null) {
      return [...done, readBatch(rest, run)];
    }
    const tests = run.report.tests;
    const last = rest.findLastIndex(({ folder }) => tests.some((one) => isIn(one.file, folder)));
    const ended = rest.slice(0, Math.max(last, 0));
    const running = rest.slice(ended.length, last + 2);
    done.push(readBatch(ended, run));
    for (const one of running) done.push(readAlone(one, await runBatch(runner, [one])));
    rest = rest.slice(ended.length + running.length);
  }
  return done;
}

function readBatch(batch: readonly Placed[], run: SuiteRun): BatchRun {
  return {
    outcomes: new Map(batch.map(({ folder }) => [folder, outcomeIn(folder, run)])),
    output: run.kind === 'ran' ? run.report.stdout : '',
  };
}

function readAlone(one: Placed, run: SuiteRun): BatchRun {
  const read = readBatch([one], run);
  if (run.kind === 'impossible' || run.report.reason === null) return read;
  const results = run.report.tests.filter(({ file }) => isIn(file, one.folder));
  return { ...read, outcomes: new Map([[one.folder, outcomeOf(results, false)]]) };
}

function isIn(file: string, folder: string): boolean {
  return file.startsWith(`${folder}/`);
}

function runBatch(runner: VariantRunner, batch: readonly Placed[]): Promise<SuiteRun> {
  const { tools, framework, placement, wallMs, context } = runner;
  const files = batch.flatMap(({ folder, variant }) =>
    Object.entries(filesOf(placement, variant)).map(([path, text]) => [`${folder}/${path}`, text]),
  );
  const request = {
    files: Object.fromEntries(files),
    framework,
    coverage: false,
    separateMs: wallMs,
    wallMs: startMs + wallMs * batch.length,
  };
  return runSuite(tools, request, context);
}

function filesOf({ codeFile, testFile }: Placement, variant: Variant | undefined): object {
  if (!variant) return {};
  return { ...variant.files, [codeFile]: variant.code, [testFile]: variant.tests };
}

function outcomeIn(folder: string, run: SuiteRun): VariantOutcome {
  if (run.kind === 'impossible') return { kind: 'unknown', why: run.why };
  const results = run.report.tests.filter(({ file }) => isIn(file, folder));
  if (results.length === 0) return { kind: 'unknown', why: 'no test of it was reported' };
  // What our runners say about the whole of a run has no name, or that of the file.
  const isWhole = !results.some(
    ({ name, file, status }) => status === 'error' && isFile(name, file),
  );
  return outcomeOf(results, isWhole);
}

function isFile(name: string, file: string): boolean {
  return name === '' || name === file;
}

async function runEach(runner: VariantRunner, variants: readonly Variant[]): Promise<VariantRuns> {
  const outcomes: VariantOutcome[] = [];
  for (let at = 0; at < variants.length; at += maxTogether) {
    const together = variants.slice(at, at + maxTogether).map((variant) => runOne(runner, variant));
    outcomes.push(...(await Promise.all(together)));
  }
  return { outcomes, output: '' };
}

async function runOne(runner: VariantRunner, variant: Variant): Promise<VariantOutcome> {
  const { tools, language, framework, placement, wallMs, context } = runner;
  const files = {
    ...extraFiles(language, { code: variant.code, wallMs }),
    ...filesOf(placement, variant),
  };
  const request = { files, framework, coverage: false, wallMs: wholeMs(language, wallMs) };
  const run = await runSuite(tools, request, context);
  if (run.kind === 'impossible') return { kind: 'unknown', why: run.why };
  const { tests, reason, ok, problem, failed } = run.report;
  if (tests.length === 0 && reason === null) return { kind: 'unknown', why: 'it did not compile' };
  // Failed tests are part of a whole run; a run that was killed, or ended early, is none.
  return outcomeOf(tests, ok || (problem === undefined && failed > 0));
}

function outcomeOf(results: SuiteReport['tests'], isWhole: boolean): VariantOutcome {
  const names = (...statuses: string[]): string[] =>
    results
      .filter(({ name, file, status }) => statuses.includes(status) && !isFile(name, file))
      .map(({ name }) => name);
  return {
    kind: 'ran',
    passed: names('passed'),
    failed: names('failed', 'error'),
    skipped: names('skipped'),
    isWhole,
  };
}

/** What can differ around a run of the tests. */
export const surroundings = [
  'time',
  'zone',
  'host',
  'user',
  'environment',
  'folder',
  'seed',
] as const;
export type Surrounding = (typeof surroundings)[number];

/** One more run of the tests, to find out what they depend on and which changes they detect. */
export type Trial =
  /** On an equivalent program, beside a failing test. */
  | { readonly kind: 'control' }
  /** On the code itself, or on code of which every function fails, in other surroundings. */
  | {
      readonly kind: 'surroundings';
      readonly what: readonly Surrounding[];
      readonly isReversed: boolean;
      readonly isBroken?: boolean;
    }
  /** One test without the others. */
  | { readonly kind: 'alone'; readonly name: string; readonly text: string }
  /** Every function fails. `test`: that test alone; null: all of them. */
  | { readonly kind: 'broken'; readonly test: string | null }
  /** Every function returns nothing. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'mutant'; readonly mutant: Mutant };
