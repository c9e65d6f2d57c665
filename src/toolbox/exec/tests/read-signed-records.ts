import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import {
  cleanName,
  emptyReport,
  parseJson,
  type RawFileCoverage,
  readLines,
  ReportBuilder,
  summarizeCoverage,
  type TestReport,
  testStatuses,
} from './report.ts';

const maxNumber = 10_000_000;
const count = z.int().min(0).max(maxNumber);

const recordSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), name: z.string(), file: z.string() }),
  z.object({ kind: z.literal('stop'), name: z.string(), file: z.string() }),
  z.object({
    kind: z.literal('test'),
    name: z.string(),
    file: z.string(),
    status: z.enum(testStatuses),
    durationMs: z.number().nullable(),
    message: z.string().nullable(),
  }),
  z.object({
    kind: z.literal('coverage'),
    file: z.string(),
    lines: count,
    missing: z.array(count).max(1_000_000),
    /** `own` is the line tracer of our Python runner. */
    meter: z.string().max(100),
  }),
  z.object({ kind: z.literal('end'), exitCode: z.int() }),
]);

type SignedRecord = z.output<typeof recordSchema>;

/**
 * Reads what our runners wrote: each line an HMAC over its number and text, then the text. The first
 * line that is not signed with the run's key ends the reading, and so does a gap.
 */
export function readSignedRecords(bytes: Uint8Array | undefined, key: string): TestReport {
  if (!bytes) return { ...emptyReport, problem: 'the test runner left no report' };
  const { lines, problem } = readLines(bytes, maxRecords);
  const gathered = new Gathered();
  for (const [index, line] of lines.entries()) {
    if (line === '' && index === lines.length - 1) break;
    const record = verify(line, index, key);
    // A last line without its end was cut off by the death of the runner.
    if (!record && index === lines.length - 1) break;
    if (!record)
      return gathered.report(`line ${index + 1} of the report was not written by the test runner`);
    gathered.take(record);
  }
  return gathered.report(problem);
}

function verify(line: string, index: number, key: string): SignedRecord | undefined {
  const text = line.slice(signatureLength + 1);
  const expected = createHmac('sha256', Buffer.from(key, 'hex'))
    .update(`${index}\n${text}`)
    .digest();
  const given = Buffer.from(line.slice(0, signatureLength), 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const parsed = recordSchema.safeParse(parseJson(text));
  return parsed.success ? parsed.data : undefined;
}

const signatureLength = 64;
/** Each is checked by itself, which takes longer than reading it. */
const maxRecords = 50_000;

class Gathered {
  readonly #builder = new ReportBuilder();
  readonly #running = new Map<string, { name: string; file: string }>();
  readonly #coverage: RawFileCoverage[] = [];
  #meter: string | undefined;
  #hasEnded = false;

  take(record: SignedRecord): void {
    switch (record.kind) {
      case 'start':
        this.#running.set(placeOf(record), record);
        return;
      case 'stop':
        this.#running.delete(placeOf(record));
        return;
      case 'test':
        this.#running.delete(placeOf(record));
        this.#builder.add(record);
        return;
      case 'coverage':
        this.#meter = record.meter;
        this.#coverage.push({
          path: record.file,
          total: record.lines,
          uncovered: record.missing.length,
          missing: record.missing,
        });
        return;
      case 'end':
        this.#hasEnded = true;
    }
  }

  report(problem: string | undefined): TestReport {
    if (!this.#hasEnded) this.#addUnfinished();
    const coverage = summarizeCoverage(this.#coverage);
    return {
      tests: this.#builder.tests,
      testsLeftOut: this.#builder.testsLeftOut,
      coverage,
      coverageNote: coverage ? describeMeter(this.#meter ?? '') : undefined,
      problem:
        problem ?? (this.#hasEnded ? undefined : 'the tests ended before the test runner did'),
    };
  }

  /** Tests that had begun; a suite is not listed beside the test of it that had. */
  #addUnfinished(): void {
    const open = [...this.#running.values()].slice(0, maxUnfinished);
    for (const { name, file } of open) {
      const isSuite = open.some((other) => other.name.startsWith(`${name} > `));
      if (isSuite) continue;
      this.#builder.add({ name, file, status: 'error', message: 'it had begun and never ended' });
    }
  }
}

const maxUnfinished = 100;

function placeOf({ name, file }: { readonly name: string; readonly file: string }): string {
  return `${file}\n${name}`;
}

function describeMeter(meter: string): string {
  return meter === 'own'
    ? 'measured by lines with a tracer of our own, because this Python has no package "coverage"'
    : `measured by ${cleanName(meter)}`;
}
