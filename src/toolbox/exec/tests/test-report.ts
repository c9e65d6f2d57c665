export const testStatuses = ['passed', 'failed', 'skipped', 'error'] as const;

/** `failed`: an assertion did not hold. `error`: anything else kept the test from its end. */
export type TestStatus = (typeof testStatuses)[number];

export interface TestOutcome {
  readonly name: string;
  /** Relative to the project; empty where the framework does not tell. */
  readonly file: string;
  readonly status: TestStatus;
  /** Null where the framework does not tell. */
  readonly durationMs: number | null;
  readonly message?: string | undefined;
}

/** What part of a file's code the tests ran. */
export interface FileCoverage {
  readonly path: string;
  readonly percent: number;
  /** Lines that no test ran, counted from 1. */
  readonly missing: number[];
}

export interface CoverageReport {
  readonly percent: number;
  readonly files: readonly FileCoverage[];
}

/** What a framework told of a run, as far as it can be believed. */
export interface TestReport {
  readonly tests: readonly TestOutcome[];
  /** Tests there was no more room for; they are counted nowhere else. */
  readonly testsLeftOut: number;
  readonly coverage: CoverageReport | null;
  /** Who measured it and how, or why there is none. */
  readonly coverageNote?: string | undefined;
  /** Why this report is not one of a whole run. */
  readonly problem?: string | undefined;
}

export const emptyReport: TestReport = { tests: [], testsLeftOut: 0, coverage: null };

export const maxTests = 10_000;
export const maxCoveredFiles = 5_000;
/** What a report may have in bytes; a longer one is not read. */
export const maxReportBytes = 16 * 1024 * 1024;
