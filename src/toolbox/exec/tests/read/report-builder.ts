import {
  maxCoveredFiles,
  maxTests,
  type CoverageReport,
  type FileCoverage,
  type TestOutcome,
  type TestStatus,
} from '../test-report.ts';
import { cleanMessage, cleanName } from './clean-report-text.ts';

const maxMissingLines = 5_000;
/** All messages of a report together, in characters. */
const maxMessages = 1_000_000;

export interface RawOutcome {
  readonly name: string;
  readonly file: string;
  readonly status: TestStatus;
  readonly durationMs?: number | null | undefined;
  readonly message?: string | null | undefined;
}

/** Takes what a report says, cleaned and bounded: what goes in was written by a program nobody trusts. */
export class ReportBuilder {
  readonly #tests: TestOutcome[] = [];
  #testsLeftOut = 0;
  #messagesLeft = maxMessages;

  add(raw: RawOutcome): void {
    if (this.#tests.length >= maxTests) {
      this.#testsLeftOut += 1;
      return;
    }
    const message = raw.message ? cleanMessage(raw.message).slice(0, this.#messagesLeft) : '';
    this.#messagesLeft -= message.length;
    this.#tests.push({
      name: cleanName(raw.name),
      file: cleanName(raw.file),
      status: raw.status,
      durationMs: cleanDuration(raw.durationMs),
      ...(message !== '' && { message }),
    });
  }

  get tests(): readonly TestOutcome[] {
    return this.#tests;
  }

  get testsLeftOut(): number {
    return this.#testsLeftOut;
  }
}

/** Lines of code in a file and those of them that never ran. */
export interface RawFileCoverage {
  readonly path: string;
  /** What is counted for the percentage: lines, or statements where the framework counts those. */
  readonly total: number;
  readonly uncovered: number;
  readonly missing: readonly number[];
}

/** Null when nothing was measured at all. */
export function summarizeCoverage(files: readonly RawFileCoverage[]): CoverageReport | null {
  const counted = files.slice(0, maxCoveredFiles);
  if (counted.length === 0) return null;
  const total = sum(counted.map((file) => file.total));
  const uncovered = sum(counted.map((file) => file.uncovered));
  return {
    percent: percentOf(total - uncovered, total),
    files: counted
      .map((file): FileCoverage => ({
        path: cleanName(file.path),
        percent: percentOf(file.total - file.uncovered, file.total),
        missing: file.missing.toSorted((a, b) => a - b).slice(0, maxMissingLines),
      }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

/** With one decimal; 100 only when nothing is missing. A file without code has nothing uncovered. */
function percentOf(part: number, whole: number): number {
  if (whole <= 0 || part >= whole) return 100;
  return Math.min(99.9, Math.round((Math.max(0, part) / whole) * 1_000) / 10);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function cleanDuration(durationMs: number | null | undefined): number | null {
  if (typeof durationMs !== 'number' || !Number.isFinite(durationMs)) return null;
  return Math.round(Math.max(0, durationMs) * 1_000) / 1_000;
}
