/**
 * The demo: a plan over four servers runs to its end, and a sentence becomes one. Then a real MCP client starts `tutti mcp` as
 * Claude, Cursor or VS Code would, and has the tools of our servers work on `examples/sample-project`;
 * where a sandbox works, programs nobody trusts run in it. Exits non-zero when anything is not as it should be.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execFileSync } from 'node:child_process';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import colors from 'picocolors';
import { z } from 'zod';

const project = resolve('examples/sample-project');
const bin = resolve('bin/tutti.js');
const home = mkdtempSync(join(tmpdir(), 'tutti-demo-'));
const tested = resolve('examples/sample-python');
const flags = ['--home', home, '--root', project, '--root', tested];

/** What a machine lacks that has nothing to hold programs with, or no Python. */
const needsInstallation: ReadonlySet<string> = new Set([
  'sandbox.unavailable',
  'sandbox.refused_by_policy',
  'sandbox.toolchain_missing',
]);

const plan = 'examples/review-and-test.plan.yaml';

showPlan();
showAsk();

const client = new Client({ name: 'tutti-demo', version: '1.0.0' });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [bin, ...flags, '--set', `tools.dependencies.osv_dir=${join(project, 'osv')}`, 'mcp'],
    cwd: project,
    stderr: 'inherit',
  }),
);

try {
  await showTools();
  await showReview();
  await showComplexity();
  await showFormatting();
  await showDependencies();
  await showStandards();
  await showSandbox();
} finally {
  await client.close();
}
showTrace();
sayWhatNext();
rmSync(home, { recursive: true, force: true });

/** The main job: a written plan, run durably. */
function showPlan(): void {
  title(`tutti run ${plan}`);
  const output = execFileSync(process.execPath, [bin, '--home', home, 'run', plan, '--json'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const run = z
    .object({
      runId: z.string(),
      status: z.literal('succeeded'),
      steps: z.record(
        z.string(),
        z.object({
          status: z.string(),
          tool: z.string().optional(),
          startedAt: z.string().nullable(),
          endedAt: z.string().nullable(),
        }),
      ),
      output: z.object({ summary: z.string(), tests_passed: z.number().nullable() }),
    })
    .parse(JSON.parse(output));
  for (const [path, { status, tool = '', startedAt, endedAt }] of Object.entries(run.steps)) {
    const ms = startedAt && endedAt ? Date.parse(endedAt) - Date.parse(startedAt) : undefined;
    const paint = status === 'succeeded' ? colors.green : colors.dim;
    const took = ms === undefined ? '' : colors.dim(`${ms} ms`);
    say(`  ${paint(status.padEnd(10))} ${path.padEnd(16)} ${colors.cyan(tool.padEnd(28))} ${took}`);
  }
  say(`  ${run.output.summary}`);
  const tested = run.output.tests_passed;
  say(
    tested === null
      ? '  The tests were skipped: nothing to run them in.'
      : `  ${tested} tests passed.`,
  );
  say(colors.dim('  A run outlives kill -9: the next process goes on where it stood.'));
}

/** A sentence instead of a plan; without a model, so that the demo is the same everywhere and costs nothing. */
function showAsk(): void {
  const message = 'Review @shop/pricing.py and measure its complexity';
  title(`tutti ask "${message}" (no model connected)`);
  const withoutModels = Object.entries(process.env).filter(
    ([name]) => !/_API_KEY$|_ENDPOINT$|^TUTTI_MODELS/.test(name),
  );
  const output = execFileSync(
    process.execPath,
    [bin, ...flags, 'ask', message, '--yes', '--json'],
    {
      cwd: project,
      env: { ...Object.fromEntries(withoutModels), TUTTI_MODELS_AUTODETECT: 'false' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const outcome = z
    .object({
      kind: z.literal('answer'),
      answer: z.string().min(1),
      plan: z.object({ steps: z.array(z.object({ tool: z.string() })).min(2) }),
    })
    .parse(JSON.parse(output));
  say(`  ${colors.cyan(outcome.plan.steps.map(({ tool }) => tool).join(', '))}`);
  say(outcome.answer.replaceAll(/^/gm, '  '));
}

async function showTools(): Promise<void> {
  title('One MCP endpoint, the tools of several servers');
  const { tools } = await client.listTools();
  for (const tool of tools) say(`${colors.cyan(tool.name.padEnd(32))} ${tool.title ?? ''}`);
}

async function showReview(): Promise<void> {
  title('code.review_code on the whole project');
  const review = await call(
    'code__review_code',
    { path: '.' },
    z.object({
      overall_score: z.number(),
      issues_total: z.number(),
      files_reviewed: z.number(),
      issues: z
        .array(
          z.object({
            severity: z.string(),
            file: z.string(),
            line: z.number(),
            rule: z.string(),
            message: z.string(),
          }),
        )
        .min(3),
    }),
  );
  say(
    `Score ${colors.bold(String(review.overall_score))} of 100, ${review.issues_total} issues in ${review.files_reviewed} files. The worst:`,
  );
  for (const issue of review.issues.slice(0, 5)) {
    say(
      `  ${colors.red(issue.severity.padEnd(8))} ${issue.file}:${issue.line}  ${issue.message} ${colors.dim(issue.rule)}`,
    );
  }
}

async function showComplexity(): Promise<void> {
  title('code.analyze_complexity on shop/pricing.py');
  const measured = await call(
    'code__analyze_complexity',
    { path: 'shop/pricing.py' },
    z.object({
      functions: z
        .array(
          z.object({
            name: z.string(),
            start_line: z.number(),
            cyclomatic: z.number(),
            cognitive: z.number(),
          }),
        )
        .min(1),
      maintainability_index: z.number(),
    }),
  );
  for (const it of measured.functions) {
    say(
      `  ${it.name} (line ${it.start_line}): cyclomatic ${it.cyclomatic}, cognitive ${it.cognitive}`,
    );
  }
  say(`  maintainability index ${measured.maintainability_index.toFixed(1)}`);
}

async function showFormatting(): Promise<void> {
  title('code.format_code');
  const formatted = await call(
    'code__format_code',
    { language: 'python', code: 'def f( a,b ):return a+b' },
    z.object({
      formatted_code: z.literal('def f(a, b):\n    return a + b\n'),
      formatter_used: z.string(),
    }),
  );
  say(`  def f( a,b ):return a+b    becomes, by ${formatted.formatter_used}:`);
  say(colors.green(formatted.formatted_code.replaceAll(/^/gm, '  ').trimEnd()));
}

async function showDependencies(): Promise<void> {
  title('code.scan_dependencies and code.analyze_dependencies');
  const scan = await call(
    'code__scan_dependencies',
    { path: '.' },
    z.object({
      packages_scanned: z.number(),
      vulnerabilities: z
        .array(
          z.object({
            id: z.string(),
            package: z.string(),
            version: z.string(),
            severity: z.string(),
            fixed_versions: z.array(z.string()),
          }),
        )
        .min(2),
    }),
  );
  for (const it of scan.vulnerabilities) {
    say(
      `  ${colors.red(it.severity.padEnd(8))} ${it.package} ${it.version}: ${it.id}, fixed in ${it.fixed_versions.join(', ')}`,
    );
  }
  const graph = await call(
    'code__analyze_dependencies',
    { path: '.' },
    z.object({
      nodes: z.array(z.unknown()),
      cycles: z.array(z.object({ shortest: z.array(z.string()).min(1) })).min(1),
    }),
  );
  say(
    `  ${graph.nodes.length} modules, ${graph.cycles.length} import cycle: ${graph.cycles[0]?.shortest.join(' → ')}`,
  );
}

async function showStandards(): Promise<void> {
  title('standards: what this team expects');
  const { resources } = await client.listResources();
  say(`  ${resources.map((it) => it.uri).join('  ')}`);
  const { contents } = await client.readResource({ uri: 'standards://python' });
  const text = contents[0] && 'text' in contents[0] ? contents[0].text : '';
  if (!text.includes('Decimal')) throw new Error('the project’s own standard was not served');
  say(colors.dim(text.split('\n').slice(0, 4).join('\n').replaceAll(/^/gm, '  ')));
}

async function showSandbox(): Promise<void> {
  title('exec: code nobody trusts, in a sandbox');
  const tests = await client.callTool({
    name: 'exec__run_tests',
    arguments: { path: tested, framework: 'pytest' },
  });
  const failure = failureOf(tests);
  if (failure !== undefined) {
    // Nothing to be ashamed of on a fresh machine: programs run held, or not at all.
    if (!needsInstallation.has(failure.code)) throw new Error(failure.message);
    say(`  Left out. ${failure.message.replaceAll('\n', '\n  ')}`);
    say('  npx tutti doctor           says what to install, and what would hold what');
    return;
  }
  showTests(tests.structuredContent);
  await showForkBomb();
}

function failureOf(result: {
  isError?: boolean | undefined;
  _meta?: Record<string, unknown> | undefined;
}): { code: string; message: string } | undefined {
  if (result.isError !== true) return undefined;
  return z.object({ code: z.string(), message: z.string() }).parse(result._meta?.['tutti/error']);
}

/** pytest or coverage may be missing where Python is there: then the run says so. */
function showTests(structured: unknown): void {
  const { ok, passed, problem, stderr, coverage } = z
    .object({
      ok: z.boolean(),
      problem: z.string().optional(),
      passed: z.int(),
      stderr: z.string(),
      coverage: z.object({ percent: z.number() }).nullable(),
    })
    .parse(structured);
  if (!ok) {
    if (!stderr.includes('pytest')) throw new Error(problem ?? 'tests of the sample failed');
    say(`  The tests were left out: ${stderr.trim().split('\n').at(-1) ?? ''}`);
    return;
  }
  const lines = coverage === null ? '' : `, ${coverage.percent} % of the lines`;
  say(`  run_tests on examples/sample-python: ${colors.green(`${passed} passed`)}${lines}`);
}

async function showForkBomb(): Promise<void> {
  const code = 'import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n';
  const bomb = await call(
    'exec__run_code',
    { language: 'python', code, limits: { pids: 32, wallMs: 10_000 } },
    z.object({
      status: z.literal('killed'),
      reason: z.literal('pids'),
      driver: z.string(),
      usage: z.object({ wallMs: z.number() }),
    }),
  );
  say(
    `  run_code with a fork bomb: ${colors.red(`${bomb.status}: ${bomb.reason}`)} after ${Math.round(bomb.usage.wallMs)} ms, held by ${bomb.driver}`,
  );
}

function showTrace(): void {
  title('Every call was traced: tutti trace');
  const output = execFileSync(process.execPath, [bin, ...flags, 'trace'], { encoding: 'utf8' });
  if (!output.includes('review_code')) throw new Error('the calls left no trace');
  say(output.trimEnd().split('\n').slice(0, 8).join('\n'));
}

function sayWhatNext(): void {
  title('What to try next');
  say(`  npx tutti                                        talk to it; npx tutti models: connect a model
  npx tutti run examples/review-and-test.plan.yaml the plan above, live
  npx tutti plan show examples/review-and-test.plan.yaml
  npx tutti tools                                  all tools, with what they take
  npx tutti call code.review_code path=src/kernel  review a folder of this checkout
  npx tutti call code.scan_secrets path=.          look for keys left in the sources
  npx tutti call exec.run_code language=python code='print(6 * 7)'
  npx tutti import                                 the MCP servers your other clients know
  npx tutti servers add NAME -- COMMAND …          any other MCP server, beside ours
  npx tutti serve                                  the same over HTTP: http://127.0.0.1:8004/mcp
  docs/connect-a-client.md                         Claude, Cursor, VS Code, Zed: one entry each`);
}

/** Calls a tool and checks what it returned, so that the demo cannot pass on an empty answer. */
async function call<Shape extends z.ZodType>(
  name: string,
  args: Record<string, unknown>,
  shape: Shape,
): Promise<z.output<Shape>> {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(`${name} failed: ${JSON.stringify(result.content)}`);
  return shape.parse(result.structuredContent);
}

function title(text: string): void {
  console.log(`\n${colors.bold(colors.yellow(`▸ ${text}`))}`);
}

function say(text: string): void {
  console.log(text);
}
