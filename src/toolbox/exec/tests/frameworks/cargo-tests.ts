import { compilerNeeds, type TestFramework } from '../framework.ts';
import { inProject, type Project, projectFolder, workFolder } from '../project.ts';
import {
  emptyReport,
  type RawOutcome,
  readLines,
  ReportBuilder,
  type TestReport,
  type TestStatus,
} from '../report.ts';
import { lookupTable } from '../../../../kernel/index.ts';

/** Tests of a Rust crate; what it depends on must lie in `vendor/`, named in `.cargo/config.toml`. */
export const cargoTests: TestFramework = {
  plan: async ({ project, runFolder, coverage, filter }) => {
    const starter = `${workFolder}/${runFolder}/start-test.sh`;
    const cargo = [
      'cargo',
      'test',
      '--offline',
      '--no-fail-fast',
      '--color=never',
      `--config=target.'cfg(all())'.runner=['sh','${starter}']`,
      ...(filter === null ? [] : ['--', filter]),
    ];
    return {
      toolchains: ['rust'],
      // In one stream, so that it is known which program's tests a line is about.
      program: inProject(['sh', '-c', 'exec "$@" 2>&1', 'sh', ...cargo]),
      files: { ...manifestFor(project), [`${runFolder}/start-test.sh`]: startTest },
      env: {
        CARGO_HOME: `${workFolder}/${runFolder}/home`,
        CARGO_TARGET_DIR: `${workFolder}/${runFolder}/target`,
        CARGO_TERM_COLOR: 'never',
        RUST_BACKTRACE: '0',
      },
      stdin: '',
      mounts: [],
      needs: compilerNeeds,
      reports: [],
      readReport: (result) => ({
        ...readCargoOutput(result.stdout),
        ...(coverage && { coverageNote: 'not measured: there is no coverage for Rust here' }),
      }),
    };
  },
};

/**
 * Test programs report durations only with an unstable option; the
 * variable that allows it is set for them alone, not for the compiler.
 */
const startTest = `RUSTC_BOOTSTRAP=1 exec "$@" -Z unstable-options --report-time\n`;

/** A few files without a manifest are a crate as well. */
function manifestFor(project: Project): Readonly<Record<string, string>> {
  if (Object.hasOwn(project.files, 'Cargo.toml')) return {};
  const library = ['src/lib.rs', 'lib.rs'].find((path) => Object.hasOwn(project.files, path));
  const libraryTable = library === 'lib.rs' ? '\n[lib]\npath = "lib.rs"\n' : '';
  return {
    [`${projectFolder}/Cargo.toml`]: `[package]\nname = "project"\nversion = "0.0.0"\nedition = "2021"\n${libraryTable}`,
  };
}

/** A test program of the run: how many tests it announced, and what it told of them. */
interface Target {
  readonly file: string;
  announced: number;
  hasResult: boolean;
  readonly tests: Map<string, RawOutcome>;
  readonly messages: Map<string, string[]>;
  /** The test whose captured output is being read. */
  failure: string[] | undefined;
}

const maxMessageLines = 40;
const maxFailures = 5_000;

/**
 * Reads what `cargo test` prints. A test program that does not end with its result (it exited in the
 * middle of a test, or crashed) is an error.
 */
export function readCargoOutput(bytes: Uint8Array): TestReport {
  const { lines, problem } = readLines(bytes);
  const targets: Target[] = [];
  for (const line of lines) {
    const target = startedTarget(line);
    if (target) targets.push(target);
    else takeLine(targets.at(-1), line);
  }
  const builder = new ReportBuilder();
  for (const target of targets) addTarget(builder, target);
  return { ...emptyReport, tests: builder.tests, testsLeftOut: builder.testsLeftOut, problem };
}

function startedTarget(line: string): Target | undefined {
  const [, , path] = /^ +(Running(?: unittests)?|Doc-tests) (\S{1,500})/.exec(line) ?? [];
  if (path === undefined) return undefined;
  return {
    file: path,
    announced: 0,
    hasResult: false,
    tests: new Map(),
    messages: new Map(),
    failure: undefined,
  };
}

function takeLine(target: Target | undefined, line: string): void {
  if (!target) return;
  const [, running] = /^running (\d{1,7}) tests?$/.exec(line) ?? [];
  if (running !== undefined) target.announced = Number(running);
  const [, failed] = /^---- (.{1,500}) stdout ----$/.exec(line) ?? [];
  if (failed !== undefined) {
    target.failure = [];
    if (target.messages.size < maxFailures) target.messages.set(failed, target.failure);
    return;
  }
  if (/^test result: (?:ok|FAILED)\. /.test(line)) target.hasResult = true;
  if (line === 'failures:' || target.hasResult) target.failure = undefined;
  if (target.failure) {
    if (target.failure.length < maxMessageLines) target.failure.push(line);
    return;
  }
  const test = testOf(line, target.file);
  if (test) target.tests.set(test.name, test);
}

const statuses: Readonly<Record<string, TestStatus>> = lookupTable({
  ok: 'passed',
  FAILED: 'failed',
  ignored: 'skipped',
});

function testOf(line: string, file: string): RawOutcome | undefined {
  const match =
    /^test (.{1,500}) \.\.\. (ok|FAILED|ignored)(?:, (.{0,500}))?(?: <(\d{1,9}\.\d{1,9})s>)?$/.exec(
      line,
    );
  if (!match) return undefined;
  const [, name = '', verdict = '', reason, seconds] = match;
  // Documentation tests carry their file in their name.
  const [, documented] = /^(\S{1,500}) - /.exec(name) ?? [];
  return {
    name: name.replace(/ - should panic$/, ''),
    file: documented?.endsWith('.rs') ? documented : file,
    status: statuses[verdict] ?? 'error',
    durationMs: seconds === undefined ? null : Number(seconds) * 1_000,
    message: reason,
  };
}

function addTarget(builder: ReportBuilder, target: Target): void {
  for (const test of target.tests.values()) {
    builder.add({ ...test, message: failureOf(target, test.name) ?? test.message });
  }
  if (target.hasResult && target.tests.size >= target.announced) return;
  if (!target.hasResult && target.announced === 0 && target.tests.size === 0) return;
  builder.add({
    name: target.file,
    file: target.file,
    status: 'error',
    message: `its tests ended before all had reported: ${target.announced} were announced, ${target.tests.size} reported`,
  });
}

/** The panic itself, without what the test printed before and the backtrace after it. */
function failureOf(target: Target, name: string): string | undefined {
  const lines = target.messages.get(name) ?? target.messages.get(`${name} - should panic`);
  if (!lines) return undefined;
  const start = Math.max(
    0,
    lines.findIndex((line) => / panicked at /.test(line)),
  );
  const end = lines.findIndex((line) => /^(?:stack backtrace:|note: )/.test(line));
  return lines.slice(start, end < start ? undefined : end).join('\n');
}
