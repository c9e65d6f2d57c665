import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Language } from '../../../contract/language/index.ts';
import type { CallContext } from '../../../contract/server/index.ts';
import { isScript, type ParsedLanguage, readProgram } from '../language.ts';
import { callForValue, tryTool, type ToolCaller } from '../tool-caller.ts';

interface Source {
  readonly language: Language;
  readonly text: string;
}

export type Formatted =
  | { readonly kind: 'formatted'; readonly text: string }
  | { readonly kind: 'refused'; readonly why: string };

const formattedSchema = z.object({ formatted_code: z.string() });

/** Parses and formats a text; invalid text is refused with line and column. */
export async function formatText(
  tools: ToolCaller,
  { language, text }: Source,
  context: CallContext,
): Promise<Formatted> {
  const args = { code: text, language };
  const request = { name: 'code.format_code', args, schema: formattedSchema };
  const called = await tryTool(tools, request, context);
  if ('failure' in called) return { kind: 'refused', why: called.failure.said };
  return { kind: 'formatted', text: called.value.formatted_code };
}

const reviewSchema = z.object({
  issues: z.array(
    z.object({
      severity: z.string(),
      area: z.string(),
      rule: z.string(),
      message: z.string(),
      line: z.number(),
    }),
  ),
});

const maxShown = 5;

/** Critical findings of a review and major ones about correctness; style does not count. */
export async function lintText(
  tools: ToolCaller,
  { language, text }: Source,
  context: CallContext,
): Promise<{ readonly errors: number; readonly described: readonly string[] }> {
  const args = { code: text, language, focus_areas: ['correctness', 'security'] };
  const request = { name: 'code.review_code', args, schema: reviewSchema };
  const { issues } = await callForValue(tools, request, context);
  const errors = issues.filter(
    ({ severity, area }) =>
      severity === 'critical' || (severity === 'major' && area === 'correctness'),
  );
  const described = errors
    .slice(0, maxShown)
    .map(({ line, rule, message }) => `Line ${line}, ${rule}: ${message}`);
  return { errors: errors.length, described };
}

const suiteSchema = z.object({
  ok: z.boolean(),
  problem: z.string().optional(),
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  tests: z.array(
    z.object({
      name: z.string(),
      file: z.string(),
      status: z.enum(['passed', 'failed', 'error', 'skipped']),
      durationMs: z.number().nullish(),
      message: z.string().optional(),
    }),
  ),
  coverage: z
    .object({
      percent: z.number(),
      files: z.array(
        z.object({ path: z.string(), percent: z.number(), missing: z.array(z.number()) }),
      ),
    })
    .nullable(),
  coverageNote: z.string().optional(),
  status: z.string(),
  reason: z.string().nullable(),
  stdout: z.string(),
  stderr: z.string(),
});

export type SuiteReport = z.output<typeof suiteSchema>;

export type SuiteRun =
  | { readonly kind: 'ran'; readonly report: SuiteReport }
  /** Nothing ran: refused by the check, or no toolchain. */
  | { readonly kind: 'impossible'; readonly code: string; readonly why: string };

export interface SuiteRequest {
  readonly files: Readonly<Record<string, string>>;
  readonly framework: string;
  readonly coverage: boolean;
  readonly wallMs: number;
  /** What each folder at the top may take as a project of its own. */
  readonly separateMs?: number;
}

/** Runs tests in the sandbox. The report is what the test runner recorded; an exit code counts for nothing. */
export async function runSuite(
  tools: ToolCaller,
  { files, framework, coverage, wallMs, separateMs }: SuiteRequest,
  context: CallContext,
): Promise<SuiteRun> {
  const separate = separateMs === undefined ? {} : { separate: { wallMs: separateMs } };
  const args = { files, framework, coverage, ...separate, limits: { wallMs } };
  const request = { name: 'exec.run_tests', args, schema: suiteSchema };
  const called = await tryTool(tools, request, context);
  if ('value' in called) return { kind: 'ran', report: called.value };
  return { kind: 'impossible', code: called.failure.toolCode, why: called.failure.said };
}

const maxMessage = 600;
const maxOutput = 1_500;

/** The failures of a run, for the model that repairs them. */
export function describeFailures(report: SuiteReport): string[] {
  const bad = report.tests.filter(({ status }) => status === 'failed' || status === 'error');
  const described = bad
    .slice(0, maxShown)
    .map(({ name, message = '' }) => `Test "${name}" failed: ${message.slice(0, maxMessage)}`);
  const more = bad.length > maxShown ? [`… and ${bad.length - maxShown} more tests failed.`] : [];
  const problem = report.problem === undefined ? [] : [`The test run: ${report.problem}.`];
  const needsOutput = bad.length === 0 || /did not compile/.test(bad[0]?.message ?? '');
  const output = needsOutput ? report.stderr.trim().slice(-maxOutput) : '';
  return [...described, ...more, ...problem, ...(output === '' ? [] : [output])];
}

const programSchema = z.object({
  status: z.string(),
  exitCode: z.number().nullable(),
  reason: z.string().nullable(),
  stdout: z.string(),
  stderr: z.string(),
});
type ProgramRun = z.output<typeof programSchema>;

interface Program {
  readonly language: ParsedLanguage;
  readonly files: Readonly<Record<string, string>>;
  readonly entry: string;
  readonly wallMs: number;
}

function runProgram(
  tools: ToolCaller,
  { wallMs, ...program }: Program,
  context: CallContext,
): ReturnType<typeof tryTool<ProgramRun>> {
  const args = { ...program, limits: { wallMs } };
  return tryTool(tools, { name: 'exec.run_code', args, schema: programSchema }, context);
}

export type Loaded =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'failed'; readonly why: string }
  /** Languages that are compiled with their tests. */
  | { readonly kind: 'later' };

const loadWallMs = 10_000;

/** Whether importing the code returns control to the importer. */
export async function loadCode(
  tools: ToolCaller,
  { language, file, text }: Source & { readonly language: ParsedLanguage; readonly file: string },
  context: CallContext,
): Promise<Loaded> {
  if (language !== 'python' && !isScript(language)) return { kind: 'later' };
  const sign = randomBytes(12).toString('hex');
  const [entry, main] =
    language === 'python'
      ? ['import_it.py', `import ${file.replace(/\.py$/, '')}\n\nprint("${sign}")\n`]
      : [
          language === 'typescript' ? 'import-it.ts' : 'import-it.mjs',
          `await import('./${file}');\nconsole.log('${sign}');\n`,
        ];
  const files = { [file]: text, [entry]: main };
  const called = await runProgram(tools, { language, files, entry, wallMs: loadWallMs }, context);
  if ('failure' in called) return { kind: 'failed', why: called.failure.said };
  if (called.value.stdout.includes(sign)) return { kind: 'loaded' };
  return { kind: 'failed', why: describeLoad(called.value) };
}

const maxLoadOutput = 800;

function describeLoad({ status, exitCode, reason, stderr }: ProgramRun): string {
  const said = stderr.trim().slice(-maxLoadOutput);
  if (reason !== null) return `importing it was stopped: ${reason}`;
  if (status === 'exited' && exitCode === 0) return 'importing it ends the program';
  return said === '' ? `importing it ended with ${exitCode ?? status}` : said;
}

export interface PlainProgram {
  readonly language: ParsedLanguage;
  readonly codeFile: string;
  readonly code: string;
  readonly tests: string;
  readonly wallMs: number;
}

/**
 * Runs the tests in an ordinary program, without a test runner and without a file named like tests. Returns why they do
 * not pass there; empty when they do, or cannot be run like that.
 */
export async function runPlainly(
  tools: ToolCaller,
  program: PlainProgram,
  context: CallContext,
): Promise<string[]> {
  const sign = randomBytes(12).toString('hex');
  const main = plainMain(program, sign);
  if (!main) return [];
  const { language, codeFile, code, wallMs } = program;
  const files = { [codeFile]: code, ...main.files };
  const called = await runProgram(tools, { language, files, entry: main.entry, wallMs }, context);
  return 'value' in called ? judgePlainRun(called.value, sign) : [];
}

const maxNames = 200;

function judgePlainRun({ exitCode, stdout, stderr }: ProgramRun, sign: string): string[] {
  if (exitCode === 0 && stdout.includes(`${sign} passed`)) return [];
  // The Python of programs need not be the one that has pytest.
  if (/No module named '(?:_?pytest|hypothesis)/.test(stderr)) return [];
  const names = stdout.split(`${sign} failed: `)[1]?.split('\n', 1)[0]?.slice(0, maxNames);
  return [
    `In an ordinary program, without a test runner, the tests do not pass${names === undefined ? '' : `: ${names}`}. The code notices that it is tested, or the tests need more than the code.`,
  ];
}

/** Tests that need only to be called in order, without arguments. */
const isSimple =
  /^(?=[^]*import \{(?: ?(?:test|it|describe|beforeEach) ?,?){1,4}\} from ['"]node:test['"])(?![^]*\b(?:t|mock|context|ctx)\.)[^]*$/;

function plainMain(
  { language, tests }: PlainProgram,
  sign: string,
): { readonly entry: string; readonly files: Readonly<Record<string, string>> } | undefined {
  if (language === 'python') {
    // Fixtures and set-up that only a runner provides.
    if (/\bautouse\b|\busefixtures\b|\bdef (?:setup|teardown)_\w/.test(tests)) return undefined;
    // `unittest.main()` at the end of the tests would run them and exit.
    const own = tests.replace(/^if __name__ == ["']__main__["']:\n(?:[ \t]+[^\n]*\n?|\n)*/m, '');
    const caller = readProgram('python/run_plainly.py').replaceAll('SIGN', sign);
    return { entry: 'app.py', files: { 'app.py': `${own}\n\n${caller}` } };
  }
  if (!isScript(language) || /\brequire\(/.test(tests) || !isSimple.test(tests)) return undefined;
  const own = tests.replace(/(['"])node:test\1/, "'./order.mjs'");
  const end = `import { failures as failures_ } from './order.mjs';
const names_ = await failures_();
console.log(names_.length > 0 ? '\\n${sign} failed: ' + names_.join(', ') : '\\n${sign} passed');
`;
  const entry = language === 'typescript' ? 'app.ts' : 'app.mjs';
  return {
    entry,
    files: { 'order.mjs': readProgram('javascript/order.mjs'), [entry]: `${own}\n${end}` },
  };
}
