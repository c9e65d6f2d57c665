import { z } from 'zod';
import { emptyReport, type TestReport, type TestStatus } from '../test-report.ts';
import { parseJson, readLines } from './read-lines.ts';
import { ReportBuilder } from './report-builder.ts';
import { lookupTable } from '../../../../kernel/index.ts';

const eventSchema = z.object({
  Action: z.string(),
  Package: z.string().default(''),
  Test: z.string().optional(),
  Output: z.string().optional(),
  Elapsed: z.number().optional(),
});

type GoEvent = z.output<typeof eventSchema>;

/** What one test may have printed to be kept for its message, in characters. */
const maxOutput = 8_000;
const maxOpenTests = 20_000;

/** `file` finds where a test of a package is written. */
export interface GoSources {
  fileOf(packageName: string, test: string): string;
}

/**
 * Reads the events of `go test -json`. A test that began and did not end, and a package that failed
 * without a failed test (it did not compile, it crashed), is an error.
 */
export function readGoEvents(bytes: Uint8Array, sources: GoSources): TestReport {
  const { lines, problem } = readLines(bytes);
  const gathered = new GoTests(sources);
  for (const line of lines) {
    const event = eventSchema.safeParse(line.startsWith('{') ? parseJson(line) : undefined);
    if (event.success) gathered.take(event.data);
    else gathered.takeText(line);
  }
  return { ...emptyReport, ...gathered.end(), problem };
}

/** The text a person would have seen: `go test -json` wraps it. */
export function textOfGoEvents(bytes: Uint8Array): string {
  return readLines(bytes)
    .lines.map((line) => {
      const event = eventSchema.safeParse(line.startsWith('{') ? parseJson(line) : undefined);
      if (!event.success) return line === '' ? '' : `${line}\n`;
      return event.data.Output ?? '';
    })
    .join('');
}

class GoTests {
  readonly #sources: GoSources;
  readonly #builder = new ReportBuilder();
  readonly #outputs = new Map<string, string>();
  readonly #open = new Map<string, GoEvent>();
  readonly #failedPackages = new Set<string>();

  constructor(sources: GoSources) {
    this.#sources = sources;
  }

  take(event: GoEvent): void {
    const key = `${event.Package}\n${event.Test ?? ''}`;
    switch (event.Action) {
      case 'run':
        if (this.#open.size < maxOpenTests) this.#open.set(key, event);
        return;
      case 'output':
      case 'build-output':
        this.#remember(key, event.Output ?? '');
        return;
      case 'pass':
      case 'fail':
      case 'skip':
        if (event.Test !== undefined) this.#addTest(event, event.Test, key);
        else if (event.Action === 'fail') this.#addPackage(event.Package);
        return;
      default:
    }
  }

  /** Older versions tell a package that did not compile as text among the events. */
  takeText(line: string): void {
    const [, name] = /^FAIL\t(\S{1,500}) \[(?:build|setup) failed\]$/.exec(line) ?? [];
    if (name !== undefined) this.#addPackage(name, 'it did not compile; stderr says why');
  }

  end(): Pick<TestReport, 'tests' | 'testsLeftOut'> {
    for (const event of this.#open.values()) {
      if (event.Test === undefined) continue;
      this.#addTest(
        { ...event, Action: 'unfinished' },
        event.Test,
        `${event.Package}\n${event.Test}`,
      );
    }
    return { tests: this.#builder.tests, testsLeftOut: this.#builder.testsLeftOut };
  }

  #remember(key: string, output: string): void {
    const known = this.#outputs.get(key) ?? '';
    if (known.length >= maxOutput || this.#outputs.size >= maxOpenTests) return;
    if (!/^\s*(?:===|---) [A-Z]+:? /.test(output)) this.#outputs.set(key, known + output);
  }

  #addTest({ Action, Package, Elapsed }: GoEvent, test: string, key: string): void {
    this.#open.delete(key);
    const status = statuses[Action] ?? 'error';
    if (status === 'failed' || status === 'error') this.#failedPackages.add(Package);
    const output = this.#outputs.get(key);
    this.#outputs.delete(key);
    this.#builder.add({
      name: test,
      file: this.#sources.fileOf(Package, test),
      status,
      durationMs: Elapsed === undefined ? null : Elapsed * 1_000,
      message:
        status === 'passed'
          ? null
          : `${status === 'error' ? 'it had begun and never ended\n' : ''}${dedent(output ?? '')}`,
    });
  }

  #addPackage(name: string, message?: string): void {
    const hasOpenTest = [...this.#open.values()].some((event) => event.Package === name);
    if (this.#failedPackages.has(name) || hasOpenTest) return;
    this.#failedPackages.add(name);
    this.#builder.add({
      name,
      file: '',
      status: 'error',
      message: message ?? this.#outputs.get(`${name}\n`) ?? 'the package failed',
    });
  }
}

const statuses: Readonly<Partial<Record<string, TestStatus>>> = lookupTable({
  pass: 'passed',
  fail: 'failed',
  skip: 'skipped',
});

function dedent(text: string): string {
  return text.replaceAll(/^ {4}/gm, '');
}
