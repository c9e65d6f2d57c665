import type { CallContext } from '../../../contract/server/index.ts';
import type { ParsedLanguage } from '../syntax-parser.ts';
import type { ToolCaller } from '../tool-caller.ts';
import { extraFiles, wholeMs, type Placement } from './place-files.ts';
import { runSuite, type SuiteReport, type SuiteRun } from './run-suite.ts';

/** Code and tests that are run to see which tests fail. */
export interface Variant {
  readonly code: string;
  readonly tests: string;
}

export type VariantOutcome =
  /** Names of the tests; `isWhole`: the run came to its end. */
  | {
      readonly kind: 'ran';
      readonly passed: readonly string[];
      readonly failed: readonly string[];
      readonly skipped: readonly string[];
      /** A test failed because of what it checks, rather than of an error or a limit. */
      readonly isAsserted: boolean;
      readonly isWhole: boolean;
    }
  /** It did not compile, or could not be run: that says nothing about the tests. */
  | { readonly kind: 'unknown'; readonly why: string };

export interface VariantRunner {
  readonly tools: ToolCaller;
  readonly language: ParsedLanguage;
  /** As `exec.run_tests` names it. */
  readonly framework: string;
  readonly placement: Placement;
  readonly wallMs: number;
  /** On the clock of `performance.now()`: later nothing more is run. */
  readonly endsAt: number;
  readonly context: CallContext;
}

const maxTogether = 2;

/** Runs each variant by itself; packages of Go together, because most of the time goes into starting to compile. */
export async function runVariants(
  runner: VariantRunner,
  variants: readonly Variant[],
): Promise<VariantOutcome[]> {
  if (variants.length === 0) return [];
  if (runner.language === 'go') return runPackages(runner, variants);
  const outcomes: VariantOutcome[] = [];
  for (let at = 0; at < variants.length; at += maxTogether) {
    if (isLate(runner)) break;
    const together = variants.slice(at, at + maxTogether).map((variant) => runOne(runner, variant));
    outcomes.push(...(await Promise.all(together)));
  }
  return outcomes;
}

/** Variants that were not run have no outcome. */
export function isLate({ endsAt }: VariantRunner): boolean {
  return performance.now() > endsAt;
}

async function runOne(runner: VariantRunner, { code, tests }: Variant): Promise<VariantOutcome> {
  const { codeFile, testFile } = runner.placement;
  const files = {
    ...extraFiles(runner.language, { code, wallMs: runner.wallMs }),
    [codeFile]: code,
    [testFile]: tests,
  };
  const run = await runFiles(runner, files);
  if (run.kind === 'impossible') return { kind: 'unknown', why: run.why };
  const { tests: results } = run.report;
  const isCompiled = runner.language === 'rust' || runner.language === 'java';
  if (isCompiled && results.length === 0 && run.report.reason === null) {
    return { kind: 'unknown', why: 'it did not compile' };
  }
  return outcomeOf(results, { language: runner.language, isWhole: isWhole(run.report) });
}

async function runPackages(
  runner: VariantRunner,
  variants: readonly Variant[],
): Promise<VariantOutcome[]> {
  const { codeFile, testFile } = runner.placement;
  const files = variants.flatMap(({ code, tests }, index) => {
    const extra = extraFiles(runner.language, { code, wallMs: runner.wallMs });
    const own = { ...extra, [codeFile]: code, [testFile]: tests };
    return Object.entries(own).map(([path, text]) => [`v${index}/${path}`, text]);
  });
  const run = await runFiles(runner, Object.fromEntries(files));
  return variants.map((_variant, index) => {
    if (run.kind === 'impossible') return { kind: 'unknown', why: run.why };
    const folder = `v${index}`;
    const results = run.report.tests.filter(
      ({ name, file }) => file.startsWith(`${folder}/`) || name === `project/${folder}`,
    );
    if (results.length === 0) return { kind: 'unknown', why: 'nothing was heard of it' };
    const isUnbuilt = results.some(({ message = '' }) => message.includes('did not compile'));
    if (isUnbuilt) return { kind: 'unknown', why: 'it did not compile' };
    return outcomeOf(results, { language: runner.language, isWhole: true });
  });
}

function runFiles(
  { tools, language, framework, wallMs, context }: VariantRunner,
  files: Readonly<Record<string, string>>,
): Promise<SuiteRun> {
  const request = { files, framework, coverage: false, wallMs: wholeMs(language, wallMs) };
  return runSuite(tools, request, context);
}

/** Failed tests are part of a whole run; a run that was killed, or ended early, is none. */
function isWhole({ ok, problem, failed }: SuiteReport): boolean {
  return ok || (problem === undefined && failed > 0);
}

function outcomeOf(
  results: SuiteReport['tests'],
  { language, isWhole }: { readonly language: ParsedLanguage; readonly isWhole: boolean },
): VariantOutcome {
  const names = (...statuses: string[]): string[] =>
    results.filter(({ status }) => statuses.includes(status)).map(({ name }) => name);
  return {
    kind: 'ran',
    passed: names('passed'),
    failed: names('failed', 'error'),
    skipped: names('skipped'),
    isAsserted: results.some(
      ({ status, message = '' }) => status === 'failed' && isAssertion(message, language),
    ),
    isWhole,
  };
}

const assertions =
  /^assert\b|AssertionError|AssertionFailedError|ComparisonFailure|assertion (?:`|failed)|DID NOT RAISE|did not panic/m;

/** How test frameworks tell that something is not as it was expected; Go tells whatever a test says. */
function isAssertion(message: string, language: ParsedLanguage): boolean {
  if (language === 'go') return !/^panic:|goroutine \d+ \[running\]|never ended/m.test(message);
  return assertions.test(message);
}
