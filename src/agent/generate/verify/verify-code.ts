import type { Evidence } from '../../../contract/generation/index.ts';
import type { Language } from '../../../contract/language/index.ts';
import type { CallContext } from '../../../contract/server/index.ts';
import { guardNotRun, guardSource } from '../guard/guard-source.ts';
import { isParsedLanguage, readLanguage, type ParsedLanguage } from '../language.ts';
import type { SyntaxParser } from '../syntax-tree.ts';
import type { ToolCaller } from '../tool-caller.ts';
import {
  describeFailures,
  formatText,
  lintText,
  loadCode,
  runPlainly,
  runSuite,
  type SuiteReport,
} from './tool-checks.ts';
import { extraFiles, isCommonJs, placeFiles, type Placement, wholeMs } from './place-files.ts';
import {
  grade,
  type Graded,
  type Independent,
  leastVerifiedScore,
  scoreOf,
  weighIndependent,
} from './level.ts';
import { type TrialRequest, type TrialResult, tryTests } from './try-tests.ts';
import { type ExampleTests, writeExampleTests } from './write-example-tests.ts';

/** Checks types that running code erases. */
export interface TypeChecker {
  /** Type errors of a TypeScript module; `unavailable` without a compiler. */
  check(text: string, signal: AbortSignal): Promise<TypeCheck>;
}

export type TypeCheck =
  | { readonly kind: 'checked'; readonly errors: readonly string[] }
  | { readonly kind: 'unavailable'; readonly why: string };

/** Ports and limits of the checks. */
export interface Checks {
  readonly tools: ToolCaller;
  readonly parser: SyntaxParser;
  readonly types: TypeChecker;
  /** What a suite of tests may take. */
  readonly suiteWallMs: number;
}

export interface Candidate {
  readonly language: Language;
  readonly code: string;
  /** Empty when there are none. */
  readonly tests: string;
  readonly testsWrittenBy: 'self' | 'given';
  /** Given code is not formatted, linted or guarded: only its tests are verified. */
  readonly isCodeGiven: boolean;
  /** The request; its examples are run. */
  readonly request?: string | undefined;
  /** Tests by the author of the code, beside those that were given. */
  readonly ownTests?: string | undefined;
  /** As people name it; the usual one of the language when not given. */
  readonly framework?: string | undefined;
}

export interface Verdict extends Graded {
  /** As formatted. */
  readonly code: string;
  readonly tests: string;
  readonly evidence: Omit<Evidence, 'attempts'>;
  /** Every check there is was passed. */
  readonly hasPassed: boolean;
  /** What another attempt has to repair; empty when there is nothing to repair. */
  readonly failures: readonly string[];
  /** Higher for the attempt that passed more checks. */
  readonly progress: number;
  readonly testNames: readonly string[];
}

/** Verifies code by a sequence of checks that ends with the first failure. Throws only for cancellation and bugs. */
export async function verifyCode(
  checks: Checks,
  candidate: Candidate,
  context: CallContext,
): Promise<Verdict> {
  return new Verification(checks, candidate, context).judge();
}

/** Time limit for the tests on a variant, which may loop for ever: a base, and a multiple of their time on the code itself. */
const leastVariantMs = 2_000;
const slowest = 10;

export const noEvidence: Verdict['evidence'] = {
  parsed: false,
  formatted: false,
  lint_errors: null,
  built: null,
  tests: null,
  examples: null,
  coverage_percent: null,
  branches: null,
  mutants: null,
  notes: [],
};

type MutableEvidence = { -readonly [Key in keyof Verdict['evidence']]: Verdict['evidence'][Key] };

interface Run {
  readonly language: ParsedLanguage;
  readonly placement: Placement;
  readonly framework: string;
  readonly examples: ExampleTests;
}

/** One candidate on its way through the checks. */
class Verification {
  readonly #checks: Checks;
  readonly #candidate: Candidate;
  readonly #context: CallContext;
  readonly #evidence: MutableEvidence = { ...noEvidence };
  #code: string;
  #tests: string;
  #failures: readonly string[] = [];
  #progress = 0;
  #independent: Independent | null = null;
  #testNames: readonly string[] = [];

  constructor(checks: Checks, candidate: Candidate, context: CallContext) {
    this.#checks = checks;
    this.#candidate = candidate;
    this.#context = context;
    this.#code = candidate.code;
    this.#tests = candidate.tests;
  }

  async judge(): Promise<Verdict> {
    const hasPassed = await this.#pass();
    const { notes } = this.#evidence;
    return {
      code: this.#code,
      tests: this.#tests,
      evidence: { ...this.#evidence, notes: [...new Set([...notes, ...this.#failures])] },
      hasPassed,
      ...grade(this.#evidence, {
        hasPassed,
        failure: this.#failures[0] ?? notes.at(-1),
        independent: this.#independent,
      }),
      failures: this.#failures,
      progress: this.#progress,
      testNames: this.#testNames,
    };
  }

  /** True when every check there is was passed. */
  async #pass(): Promise<boolean> {
    const { language } = this.#candidate;
    if (!(await this.#readSource())) return false;
    if (!isParsedLanguage(language)) {
      this.#note(`Nothing was run: ${language} cannot be tested here.`);
      return false;
    }
    const framework = frameworkOf(language, this.#candidate.framework);
    if (framework === null) {
      this.#note(
        `The tests were not run: ${this.#candidate.framework} is not installed in the sandbox.`,
      );
      return false;
    }
    const placement = placeFiles(language, { code: this.#code, tests: this.#tests });
    if (!(await this.#guard(language, placement))) return false;
    if (!(await this.#load(language, placement))) return false;
    const examples = await writeExampleTests(this.#checks.parser, {
      language,
      request: this.#candidate.request ?? '',
      code: this.#code,
      codeFile: placement.codeFile,
      isCommonJs: isCommonJs(this.#tests),
    });
    if (this.#tests.trim() === '' && examples.examples.length === 0) {
      return this.#fail('There are no tests.');
    }
    const run = { language, placement, framework, examples };
    const report = await this.#runTests(run);
    return report !== undefined && this.#tryTests({ ...run, report });
  }

  async #readSource(): Promise<boolean> {
    const { tools } = this.#checks;
    const { language, isCodeGiven } = this.#candidate;
    const formatted = await formatText(tools, { language, text: this.#code }, this.#context);
    if (formatted.kind === 'refused') {
      return this.#fail(`The code is not valid ${language}: ${formatted.why}`);
    }
    this.#evidence.parsed = true;
    this.#progress = 1;
    if (isCodeGiven) return this.#readTests();
    this.#evidence.formatted = true;
    this.#code = formatted.text;
    const lint = await lintText(tools, { language, text: this.#code }, this.#context);
    this.#evidence.lint_errors = lint.errors;
    if (lint.errors > 0) return this.#fail(...lint.described);
    this.#progress = 2;
    return this.#readTests();
  }

  async #readTests(): Promise<boolean> {
    if (this.#tests.trim() === '') return true;
    const { language, testsWrittenBy } = this.#candidate;
    const source = { language, text: this.#tests };
    const formatted = await formatText(this.#checks.tools, source, this.#context);
    if (formatted.kind === 'refused') {
      return this.#fail(`The tests are not valid ${language}: ${formatted.why}`);
    }
    if (testsWrittenBy === 'self') {
      this.#tests = formatted.text;
      this.#evidence.formatted = true;
    }
    return true;
  }

  async #guard(language: ParsedLanguage, placement: Placement): Promise<boolean> {
    const { parser } = this.#checks;
    const { testsWrittenBy, isCodeGiven } = this.#candidate;
    const fileNames = [placement.codeFile, placement.testFile];
    const guard = (role: 'code' | 'tests', text: string): Promise<string[]> =>
      guardSource(parser, { language, text, role, fileNames });
    const suspicions = [
      ...(isCodeGiven ? [] : await guard('code', this.#code)),
      ...(testsWrittenBy === 'self' ? await guard('tests', this.#tests) : []),
    ];
    if (suspicions.length > 0) return this.#fail(...suspicions);
    this.#progress = 3;
    return true;
  }

  async #load(language: ParsedLanguage, { codeFile }: Placement): Promise<boolean> {
    const source = { language, file: codeFile, text: this.#code };
    const loaded = await loadCode(this.#checks.tools, source, this.#context);
    if (loaded.kind === 'failed') {
      this.#evidence.built = false;
      return this.#fail(`The code does not load: ${loaded.why}`);
    }
    if (loaded.kind === 'loaded') this.#evidence.built = true;
    this.#progress = 4;
    return language === 'typescript' ? this.#checkTypes() : true;
  }

  /** What runs may still not compile: running erases types. Where they cannot be checked, it is not known to be built. */
  async #checkTypes(): Promise<boolean> {
    const check = await this.#checks.types.check(this.#code, this.#context.signal);
    if (check.kind === 'unavailable') {
      this.#evidence.built = false;
      this.#note(`Types were erased, not checked, so it is not verified: ${check.why}.`);
      return true;
    }
    if (check.errors.length === 0) return true;
    this.#evidence.built = false;
    return this.#fail(...check.errors);
  }

  async #runTests(run: Run): Promise<SuiteReport | undefined> {
    const { language, framework, examples } = run;
    const { codeFile, testFile } = run.placement;
    const { suiteWallMs } = this.#checks;
    const files = {
      ...extraFiles(language, { code: this.#code, wallMs: suiteWallMs }),
      [codeFile]: this.#code,
      ...examples.files,
      [testFile]: `${this.#tests}${examples.appended}`,
    };
    const wallMs = wholeMs(language, suiteWallMs);
    const request = { files, framework, coverage: true, wallMs };
    const suite = await runSuite(this.#checks.tools, request, this.#context);
    if (suite.kind === 'impossible') {
      const isRefused =
        suite.code === 'exec.refused_by_check' || suite.code === 'exec.approval_needed';
      if (isRefused) this.#fail(`The tests were not run: ${suite.why}`);
      else this.#note(`The tests were not run: ${suite.why}`);
      return undefined;
    }
    const { report } = suite;
    const isCompiled = report.tests.some(({ name }) => !name.startsWith('project'));
    if (!isCompiled && `${report.stdout}${report.stderr}`.includes('request_test.go')) {
      this.#note('The examples of the request could not be compiled.');
      return this.#runTests({ ...run, examples: { ...examples, files: {}, examples: [] } });
    }
    this.#record(report, examples);
    const { ok, skipped, passed } = report;
    this.#evidence.built ??= isCompiled;
    const contradicted = this.#evidence.examples?.failed ?? [];
    if (contradicted.length > 0) {
      this.#fail(...contradicted.map((text) => `The request says otherwise: ${text}`));
      return undefined;
    }
    if (!ok || passed === 0) {
      this.#fail(...describeFailures(report));
      return undefined;
    }
    if (skipped > 0) {
      this.#fail(`${skipped} of the tests were skipped; every test has to run.`);
      return undefined;
    }
    this.#progress = 6;
    return report;
  }

  #record(report: SuiteReport, examples: ExampleTests): void {
    const { passed, failed, skipped, tests, coverage, coverageNote } = report;
    this.#evidence.tests = {
      written_by: this.#candidate.testsWrittenBy,
      passed,
      failed,
      skipped,
      are_effective: false,
    };
    this.#evidence.examples = examples.judge(tests);
    this.#evidence.coverage_percent = coverage?.percent ?? null;
    if (coverage === null) this.#note(`Coverage: ${coverageNote ?? 'not measured'}.`);
    this.#testNames = tests.map(({ name }) => name);
    this.#progress = 5 + passed / (passed + failed + 1);
  }

  async #tryTests(run: Run & { readonly report: SuiteReport }): Promise<boolean> {
    const { tools, parser } = this.#checks;
    const { language, placement, framework, report, examples } = run;
    const notRun = await guardNotRun(parser, { language, text: this.#tests }, this.#testNames);
    if (notRun.length > 0) return this.#fail(...notRun);
    const wallMs = leastVariantMs + Math.round(testsMs(report) * slowest);
    const program = { language, codeFile: placement.codeFile, code: this.#code, wallMs };
    const doubts = await runPlainly(tools, { ...program, tests: this.#tests }, this.#context);
    if (doubts.length > 0) return this.#fail(...doubts);
    const isGiven = this.#candidate.testsWrittenBy === 'given';
    const isExample = (name: string): boolean => examples.exampleOf(name) !== undefined;
    const trials = {
      runner: { tools, language, framework, placement, wallMs, context: this.#context },
      parser,
      code: this.#code,
      tests: `${this.#tests}${examples.appended}`,
      files: examples.files,
      passed: report.tests.map(({ name }) => name),
      isIndependent: (name: string) => isGiven || isExample(name),
      isExample,
    };
    const result = await this.#tryWithOwn(trials);
    const { mutants, branches } = result;
    this.#evidence.mutants = mutants;
    this.#evidence.branches = branches;
    const { request = '' } = this.#candidate;
    const source = { code: this.#code, request, tests: isGiven ? this.#tests : null };
    const count = isGiven ? report.tests.length : examples.examples.length;
    this.#independent = weighIndependent(source, examples, { trials: result, count });
    for (const note of result.notes) this.#note(note);
    this.#progress = 7 + mutants.killed / (mutants.planted + 1);
    if (result.doubts.length > 0) return this.#fail(...result.doubts);
    if (this.#evidence.tests) {
      this.#evidence.tests = { ...this.#evidence.tests, are_effective: true };
    }
    this.#progress = 9;
    return true;
  }

  /** Where tests that were given notice too little, the author's own are tried beside them. */
  async #tryWithOwn(request: TrialRequest): Promise<TrialResult> {
    const alone = await tryTests(request);
    const own = this.#candidate.ownTests ?? '';
    const isEnough = alone.doubts.length === 0 && scoreOf(alone.mutants) >= leastVerifiedScore;
    if (this.#candidate.testsWrittenBy === 'self' || own.trim() === '' || isEnough) return alone;
    const { language, placement } = request.runner;
    const fileNames = [placement.codeFile, placement.testFile];
    const source = { language, text: own, role: 'tests', fileNames } as const;
    if ((await guardSource(this.#checks.parser, source)).length > 0) return alone;
    const file = placement.testFile.replace(/^(test_)?(\w+)/, '$1own_$2');
    const both = await tryTests({ ...request, files: { ...request.files, [file]: own } });
    return both.doubts.length === 0 ? both : alone;
  }

  #note(note: string): void {
    this.#evidence.notes = [...this.#evidence.notes, note];
  }

  #fail(...failures: string[]): false {
    this.#failures = failures;
    return false;
  }
}

function testsMs(report: SuiteReport): number {
  return report.tests.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
}

/** What `exec.run_tests` calls it; null when it is not run here. */
function frameworkOf(language: ParsedLanguage, wanted: string | undefined): string | null {
  const { frameworks, defaultFramework } = readLanguage(language);
  return frameworks[wanted ?? defaultFramework] ?? null;
}
