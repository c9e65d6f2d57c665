import { posix } from 'node:path';
import { z } from 'zod';
import { compilerNeeds, type TestFramework } from '../framework.ts';
import { inProject, type Project, projectFolder, textOf, workFolder } from '../project.ts';
import { cleanOutput } from '../../clean-output.ts';
import {
  emptyReport,
  parseJson,
  type RawFileCoverage,
  readLines,
  ReportBuilder,
  summarizeCoverage,
  type TestReport,
  type TestStatus,
} from '../report.ts';
import { lookupTable } from '../../../../kernel/index.ts';

const profile = 'cover.out';
const ownModule = 'project';

/** Tests of Go modules; what they need beside the standard library must lie in `vendor/`. */
export const goTests: TestFramework = {
  plan: async ({ project, runFolder, coverage, filter, separateMs }) => {
    const hasModule = Object.hasOwn(project.files, 'go.mod');
    const moduleName = hasModule ? moduleOf(textOf(project, 'go.mod')) : ownModule;
    const argv = [
      'go',
      'test',
      '-json',
      ...(coverage ? [`-coverprofile=${workFolder}/${runFolder}/${profile}`] : []),
      ...(filter === null ? [] : ['-run', filter]),
      './...',
    ];
    return {
      toolchains: ['go'],
      program: inProject(argv),
      files: {
        ...(hasModule ? {} : { [`${projectFolder}/go.mod`]: `module ${ownModule}\n\ngo 1.18\n` }),
        [`${runFolder}/tmp/.keep`]: '',
      },
      env: {
        GOCACHE: `${workFolder}/${runFolder}/cache`,
        GOTMPDIR: `${workFolder}/${runFolder}/tmp`,
        GOPATH: `${workFolder}/${runFolder}/path`,
        GOPROXY: 'off',
        GOTOOLCHAIN: 'local',
        // All errors of the compiler, and none of its advice.
        GOFLAGS: separateMs === null ? '-buildvcs=false' : '-buildvcs=false -vet=off -gcflags=-e',
        CGO_ENABLED: '0',
      },
      stdin: '',
      mounts: [],
      needs: compilerNeeds,
      reports: [profile],
      readReport: (result, reports) => ({
        ...readGoEvents(result.stdout, sourcesOf(project, moduleName)),
        ...readGoProfile(reports.get(profile), moduleName),
      }),
      showStdout: (stdout) => cleanOutput(new TextEncoder().encode(textOfGoEvents(stdout))),
    };
  },
};

function moduleOf(goMod: string): string {
  return /^module[ \t]{1,20}"?([^\s"]{1,300})/m.exec(goMod)?.[1] ?? ownModule;
}

/** Finds the files of tests: the events do not name them. */
function sourcesOf(project: Project, moduleName: string): GoSources {
  const places = new Map<string, string>();
  for (const path of Object.keys(project.files)) {
    if (!path.endsWith('_test.go')) continue;
    for (const [, name] of textOf(project, path).matchAll(
      /^func ((?:Test|Example|Fuzz)\w{0,200})\(/gm,
    )) {
      places.set(`${posix.dirname(path)}\n${name}`, path);
    }
  }
  return {
    fileOf: (packageName, test) => {
      const folder = packageName === moduleName ? '.' : packageName.slice(moduleName.length + 1);
      const [name = ''] = test.split('/', 1);
      return places.get(`${folder}\n${name}`) ?? '';
    },
  };
}

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

const maxLine = 1_000_000;

interface GoFile {
  total: number;
  uncovered: number;
  readonly missing: Set<number>;
  readonly covered: Set<number>;
}

/** Lines all blocks of a profile may have together. */
const maxBlockLines = 2_000_000;

/** Reads the profile that `go test -coverprofile` writes; paths lose the module's name. */
export function readGoProfile(
  bytes: Uint8Array | undefined,
  moduleName: string,
): Pick<TestReport, 'coverage' | 'coverageNote'> {
  if (!bytes) return { coverage: null };
  const files = new Map<string, GoFile>();
  let linesLeft = maxBlockLines;
  for (const line of readLines(bytes).lines) {
    const match = /^([^:]{1,500}):(\d{1,7})\.\d{1,7},(\d{1,7})\.\d{1,7} (\d{1,7}) (\d{1,15})$/.exec(
      line,
    );
    if (!match) continue;
    const [, path = '', first = '', last = '', statements = '', runs = ''] = match;
    const file = files.get(path) ?? {
      total: 0,
      uncovered: 0,
      missing: new Set(),
      covered: new Set(),
    };
    files.set(path, file);
    file.total += Number(statements);
    if (runs === '0') file.uncovered += Number(statements);
    const lines = runs === '0' ? file.missing : file.covered;
    const end = Math.min(Number(last), maxLine);
    for (let at = Number(first); at <= end && linesLeft > 0; at += 1, linesLeft -= 1) lines.add(at);
  }
  const raw = [...files].map(([path, file]): RawFileCoverage => ({
    path: path.startsWith(`${moduleName}/`) ? path.slice(moduleName.length + 1) : path,
    total: file.total,
    uncovered: file.uncovered,
    missing: [...file.missing].filter((line) => !file.covered.has(line)),
  }));
  return { coverage: summarizeCoverage(raw), coverageNote: 'measured by go test, in statements' };
}
