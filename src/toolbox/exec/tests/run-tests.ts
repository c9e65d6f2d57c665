import { randomBytes } from 'node:crypto';
import { totalmem } from 'node:os';
import {
  lowerOf,
  type OutputPiece,
  type RunWatch,
  type Sandbox,
  type SandboxLimits,
  type SandboxProgram,
  type SandboxResult,
  type SandboxRun,
  type ToolchainReport,
} from '../../../contract/sandbox/index.ts';
import type { CallContext } from '../../../contract/server/index.ts';
import { AppError } from '../../../kernel/index.ts';
import { cleanOutput } from '../clean-output.ts';
import { describeOutcome, describePlan } from '../summarize-run.ts';
import { type ExecContext, limitsOf } from '../run-schema.ts';
import { LiveOutput } from '../live-output.ts';
import { checkBeforeRun, openAhead } from '../run-program.ts';
import { chooseFramework, noDependencies, type Project, projectFolder, textOf } from './project.ts';
import type { FrameworkName, TestFramework, TestPlan, TestRequest } from './framework.ts';
import { gatherProject } from './gather-project.ts';
import type { RunTestsInput, TestsResult } from './run-tests-tool.ts';
import { maxReportBytes, type TestOutcome, type TestReport } from './report.ts';

export interface TestsContext extends ExecContext {
  /** The folders whose projects may be tested. */
  readonly roots: readonly string[];
  /** Folders with Java libraries: Maven repositories, or jars without versions. */
  readonly javaLibraries: readonly string[];
}

/** Runs the tests of a project in a sandbox. How they end is a result; `exec.…` and `sandbox.…` are thrown. */
export async function runTests(
  exec: TestsContext,
  input: RunTestsInput,
  context: CallContext,
): Promise<TestsResult> {
  const startedAt = performance.now();
  openAhead(exec);
  const project = await projectOf(exec, input, context.signal);
  const { framework, notes } = chooseFramework(project, input.framework);
  const request = requestFor(exec, input, project);
  const plan = await (await loadFramework(framework)).plan(request);
  const { ceilings } = exec;
  const needed = lowerOf(atLeast(exec.limits, plan.needs), ceilings);
  const limits = limitsOf(input.limits, { limits: needed, ceilings });
  const sandbox = await exec.sandbox();
  const [check, run] = await Promise.all([
    checkBeforeRun({ files: codeOf(project) }, exec, context),
    runOf(sandbox, plan, { request, env: input.env, limits }),
  ]);
  context.annotate?.({ ...describePlan(run), 'tutti.tests.framework': framework });
  const live = new LiveOutput(context.progress);
  const result = await sandbox
    .run(run, { signal: context.signal, onOutput: shownLive(plan, live) })
    .finally(() => live.end());
  context.annotate?.(describeOutcome(result, sandbox.pool()));
  context.signal.throwIfAborted();
  const prefix = `${request.runFolder}/`;
  const reports = new Map(
    result.files.map(({ path, bytes }) => [path.slice(prefix.length), bytes]),
  );
  const report = plan.readReport(result, reports);
  const { coverage, coverageNote } = report;
  return {
    ...judgeRun(result, report),
    framework,
    ...countsOf(report.tests),
    tests: report.tests,
    coverage: input.coverage && coverage ? coverage : null,
    ...(input.coverage && {
      coverageNote: coverageNote ?? (coverage ? undefined : 'none was reported'),
    }),
    durationMs: Math.round(performance.now() - startedAt),
    status: result.status,
    exitCode: result.exitCode,
    signal: result.signal,
    reason: result.reason,
    stdout: plan.showStdout?.(result.stdout) ?? cleanOutput(result.stdout),
    stderr: cleanOutput(result.stderr),
    truncated: result.truncated,
    usage: result.usage,
    verdict: check.verdict,
    findings: check.findings,
    driver: result.driver,
    warm: result.wasWarm,
    notes: [...project.notes, ...notes],
  };
}

function shownLive({ showStdout }: TestPlan, live: LiveOutput): RunWatch['onOutput'] {
  return showStdout ? showWholeLines(showStdout, live.push) : live.push;
}

async function projectOf(
  exec: TestsContext,
  { path, files }: RunTestsInput,
  signal: AbortSignal,
): Promise<Project> {
  const gathered =
    path === undefined
      ? { files: {}, notes: [], dependencies: noDependencies }
      : await gatherProject(path, { roots: exec.roots, signal });
  return { ...gathered, files: { ...gathered.files, ...files } };
}

/** Texts in a language the check knows; it decides by the name. */
function codeOf(project: Project): Record<string, string> {
  const paths = Object.keys(project.files).filter((path) =>
    /\.(?:py|[cm]?[jt]s|[jt]sx|go|rs|java|sh|bash)$/.test(path),
  );
  return Object.fromEntries(paths.map((path) => [path, textOf(project, path)]));
}

function requestFor(exec: TestsContext, input: RunTestsInput, project: Project): TestRequest {
  return {
    project,
    coverage: input.coverage,
    filter: input.filter ?? null,
    separateMs: input.separate?.wallMs ?? null,
    runFolder: `.tests-${randomBytes(12).toString('hex')}`,
    key: randomBytes(32).toString('hex'),
    javaLibraries: exec.javaLibraries,
  };
}

/** Loaded one by one: most calls need one. */
async function loadFramework(name: FrameworkName): Promise<TestFramework> {
  switch (name) {
    case 'pytest':
    case 'unittest':
      return (await import('./frameworks/python-tests.ts')).pythonTests(name);
    case 'node':
      return (await import('./frameworks/node-tests.ts')).nodeTests;
    case 'vitest':
      return (await import('./frameworks/vitest-tests.ts')).vitestTests;
    case 'go':
      return (await import('./frameworks/go-tests.ts')).goTests;
    case 'cargo':
      return (await import('./frameworks/cargo-tests.ts')).cargoTests;
    case 'junit':
      return (await import('./frameworks/junit-tests.ts')).junitTests;
  }
}

/** A suite takes longer than a snippet; what the settings give beyond that stays. */
const leastWallMs = 120_000;
const leastProjectBytes = 256 * 1024 * 1024;

function atLeast(defaults: SandboxLimits, needs: Partial<SandboxLimits>): SandboxLimits {
  const memory = Math.min(needs.memoryBytes ?? 0, Math.floor(totalmem() / 2));
  return {
    ...defaults,
    wallMs: Math.max(defaults.wallMs, needs.wallMs ?? leastWallMs),
    memoryBytes: Math.max(defaults.memoryBytes, memory),
    diskBytes: Math.max(defaults.diskBytes, needs.diskBytes ?? leastProjectBytes),
    outputBytes: Math.max(defaults.outputBytes, needs.outputBytes ?? 0),
  };
}

interface RunParts {
  readonly request: TestRequest;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
}

async function runOf(sandbox: Sandbox, plan: TestPlan, parts: RunParts): Promise<SandboxRun> {
  const { request, env, limits } = parts;
  const toolchain = await firstToolchain(sandbox, plan.toolchains);
  const hasVariables = Object.keys(env).length > 0;
  return {
    toolchain: toolchain.name,
    program: hasVariables ? startedAnew(plan.program, toolchain) : plan.program,
    files: { ...inProjectFolder(request.project.files), ...plan.files },
    env: { ...env, ...plan.env },
    stdin: plan.stdin,
    limits,
    mounts: plan.mounts,
    collect: {
      paths: plan.reports.map((name) => `${request.runFolder}/${name}`),
      maxFiles: plan.reports.length,
      maxBytes: plan.reports.length * maxReportBytes,
    },
  };
}

/** An interpreter that was started in advance would not see variables that are read at its start. */
function startedAnew(program: SandboxProgram, toolchain: ToolchainReport): SandboxProgram {
  if (program.kind === 'command') return program;
  return { kind: 'command', argv: [toolchain.program, program.main, ...program.args] };
}

function inProjectFolder(files: Project['files']): Project['files'] {
  return Object.fromEntries(
    Object.entries(files).map(([path, content]) => [`${projectFolder}/${path}`, content]),
  );
}

/** The first that is installed; when none is, the last one's failure says what to install. */
async function firstToolchain(
  sandbox: Sandbox,
  names: readonly string[],
): Promise<ToolchainReport> {
  for (const [index, name] of names.entries()) {
    try {
      return { ...(await sandbox.toolchain(name)), name };
    } catch (error) {
      const isLast = index === names.length - 1;
      if (isLast || !(error instanceof AppError) || error.code !== toolchainMissing) throw error;
    }
  }
  throw new RangeError('a plan names at least one toolchain');
}

const toolchainMissing = 'sandbox.toolchain_missing';

function countsOf(
  tests: readonly TestOutcome[],
): Pick<TestsResult, 'passed' | 'failed' | 'skipped'> {
  const count = (...statuses: string[]): number =>
    tests.filter(({ status }) => statuses.includes(status)).length;
  return { passed: count('passed'), failed: count('failed', 'error'), skipped: count('skipped') };
}

export interface Verdict {
  readonly ok: boolean;
  /** Why it is not, when that is more than failed tests. */
  readonly problem?: string;
}

/**
 * Whether the tests passed. What the program's exit code says is not enough: a run of which no whole
 * report with at least one passed test came has not passed, nor one that ended badly after it.
 */
export function judgeRun(result: SandboxResult, report: TestReport): Verdict {
  const problem = problemOf(result, report);
  const hasFailed = report.tests.some(({ status }) => status === 'failed' || status === 'error');
  if (problem !== undefined) return { ok: false, problem };
  return { ok: !hasFailed };
}

function problemOf(result: SandboxResult, report: TestReport): string | undefined {
  const ending = endingOf(result);
  if (result.status !== 'exited') return `the run ${ending} before it was over`;
  if (report.problem !== undefined) return `${report.problem}; the run ${ending}`;
  if (report.tests.length === 0) return `no test was reported; the run ${ending}`;
  if (report.testsLeftOut > 0) {
    return `${report.testsLeftOut} more tests were reported than are listed; their outcome does not count`;
  }
  const { tests } = report;
  if (tests.every(({ status }) => status === 'skipped')) return 'every test was skipped';
  const hasFailed = tests.some(({ status }) => status === 'failed' || status === 'error');
  if (!hasFailed && result.exitCode !== 0) return `no test failed, and yet the run ${ending}`;
  return undefined;
}

function endingOf({ status, exitCode, signal, reason }: SandboxResult): string {
  switch (status) {
    case 'exited':
      return `exited with ${exitCode}`;
    case 'signalled':
      return `died of ${signal}`;
    case 'killed':
      return `was killed (${reason})`;
  }
}

/** A line that is longer is shown in parts. */
const maxLineBytes = 256 * 1024;
const lineFeed = 0x0a;

/** Passes on standard output as `show` tells it, in whole lines; standard error as it comes. */
export function showWholeLines(
  show: (stdout: Uint8Array) => string,
  pass: (piece: OutputPiece) => void,
): (piece: OutputPiece) => void {
  let held: Uint8Array = new Uint8Array();
  return (piece) => {
    if (piece.stream === 'stderr') {
      pass(piece);
      return;
    }
    const known = Buffer.concat([held, piece.bytes]);
    const end = known.length > maxLineBytes ? known.length : known.lastIndexOf(lineFeed) + 1;
    held = known.subarray(end);
    if (end > 0) pass({ ...piece, bytes: Buffer.from(show(known.subarray(0, end))) });
  };
}
