import { cleanOutput } from '../clean-output.ts';
import { cutBefore } from '../live-output.ts';

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
  /** How it was measured, or why it was not. */
  readonly coverageNote?: string | undefined;
  /** Why this report is not one of a whole run. */
  readonly problem?: string | undefined;
}

export const emptyReport: TestReport = { tests: [], testsLeftOut: 0, coverage: null };

export const maxTests = 10_000;
export const maxCoveredFiles = 5_000;
/** What a report may have in bytes; a longer one is not read. */
export const maxReportBytes = 16 * 1024 * 1024;

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

/** Collects test outcomes, cleaned and bounded: the report was written by an untrusted program. */
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

const maxNameLength = 500;
const maxMessageLength = 4_000;
const encoder = new TextEncoder();

/** A name from a report on one line: no control characters, no more than fits. */
export function cleanName(name: string): string {
  return shorten(
    cleanText(name.slice(0, 4 * maxNameLength)).replaceAll(/\s+/g, ' '),
    maxNameLength,
  );
}

/** A message from a report: lines of text without escape sequences, its end cut when it is long. */
export function cleanMessage(message: string): string {
  const start = message.slice(0, 4 * maxMessageLength);
  return shorten(cleanText(start).trim(), maxMessageLength);
}

function cleanText(text: string): string {
  return cleanOutput(encoder.encode(text));
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, cutBefore(text, length - 1))}…`;
}

const defaultMaxLines = 200_000;

/** The lines of a report. Fails on one that is longer than any honest run needs. */
export function readLines(
  bytes: Uint8Array,
  maxLines = defaultMaxLines,
): { lines: readonly string[]; problem?: string } {
  if (bytes.length > maxReportBytes) {
    return { lines: [], problem: `the report has more than ${maxReportBytes} bytes` };
  }
  const lines = new TextDecoder().decode(bytes).split('\n', maxLines + 1);
  if (lines.length > maxLines) {
    return {
      lines: lines.slice(0, maxLines),
      problem: `the report has more than ${maxLines} lines`,
    };
  }
  return { lines };
}

const maxDepth = 100;

/** What a text says as JSON, or undefined; also when it is nested deeper than any report. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Looks at brackets alone, before a parser makes an object of each. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charAt(at)) {
      case '"':
        isInString = !isInString;
        break;
      case '\\':
        at += 1;
        break;
      case '[':
      case '{':
        if (!isInString) depth += 1;
        if (depth > maxDepth) return true;
        break;
      case ']':
      case '}':
        if (!isInString) depth -= 1;
        break;
      default:
    }
  }
  return false;
}
