import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpGateway } from '../src/gateway/index.ts';
import type { Listener } from '../src/http/index.ts';
import { FixtureServer } from '../testkit/gateway/fixture-server.ts';
import { sharedSessions } from '../testkit/gateway/memory-client-sessions.ts';
import { silentLog } from '../src/kernel/index.ts';
import { sampleSeeded } from '../testkit/sample.ts';
import { bubblewrapMissing } from '../testkit/sandbox/this-machine.ts';

const execute = promisify(execFile);
const require = createRequire(import.meta.url);
const launcher = require.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js');

const fixture = fileURLToPath(new URL('../testkit/gateway/stdio-fixture.ts', import.meta.url));

const start = fileURLToPath(new URL('../bin/tutti.js', import.meta.url));

let gateway: Listener;
let home: string;
let project: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'inspector-'));
  project = join(home, 'project');
  await mkdir(project);
  await writeFile(join(project, 'a.txt'), 'a\n');
  const git = (...args: string[]) => execute('git', args, { cwd: project });
  await git('init', '-q');
  await git('add', '.');
  await git('config', 'user.name', 'Ann');
  await git('config', 'user.email', 'ann@example.com');
  await git('commit', '-qm', 'first');
  await writeFile(join(project, 'c.txt'), 'c\n');
  gateway = await createHttpGateway({
    sessions: sharedSessions(),
    server: new FixtureServer(),
    log: silentLog,
    version: '0',
    host: '127.0.0.1',
    port: 0,
  });
});

afterAll(async () => {
  await gateway.close();
  await rm(home, { recursive: true, force: true });
});

/** What the Inspector's command line needs to reach a server: a command, or an address. */
const targets: readonly { readonly name: string; readonly reach: () => readonly string[] }[] = [
  { name: 'stdio', reach: () => [process.execPath, fixture] },
  { name: 'HTTP', reach: () => [`${gateway.url}/mcp`] },
  { name: 'HTTP+SSE', reach: () => [`${gateway.url}/sse`] },
];

/** Runs the Inspector's command line and reads the JSON it prints. */
async function inspect(...args: readonly string[]): Promise<Record<string, unknown>> {
  const env = { ...process.env, HOME: home };
  const { stdout } = await execute(process.execPath, [launcher, '--cli', ...args], {
    env,
    // What changes files works on a project of its own.
    ...(args.some((arg) => arg.startsWith('workspace__')) && { cwd: project }),
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe.each(targets)("the Inspector's command line over $name", ({ reach }) => {
  it('lists the tools', async () => {
    const { tools } = await inspect(...reach(), '--method', 'tools/list');
    expect((tools as { name: string }[]).map((tool) => tool.name)).toEqual(
      (await new FixtureServer().listTools()).map((tool) => tool.name),
    );
  });

  it('calls a tool', async () => {
    const args = ['--tool-arg', 'a=20', 'b=22'];
    expect(
      await inspect(...reach(), '--method', 'tools/call', '--tool-name', 'sum', ...args),
    ).toMatchObject({
      structuredContent: { total: 42 },
    });
  });

  it('reads resources and prompts', async () => {
    expect(
      await inspect(...reach(), '--method', 'resources/read', '--uri', 'fixture://text'),
    ).toMatchObject({
      contents: [{ text: 'contents' }],
    });
    expect(await inspect(...reach(), '--method', 'prompts/list')).toMatchObject({
      prompts: [{ name: 'greet' }],
    });
  });
});

const aProgram = ['language=python', 'code=def f( a ):return a'];

/** Its output is too big to be shown, so that there is an artifact to read. */
const output = 'x'.repeat(20_000);
const plan = JSON.stringify({ steps: [{ id: 'pause', sleep: 1 }], output });
const digestOfOutput = createHash('sha256').update(output).digest('hex');

/** Arguments for every tool Tutti has; a tool without an entry fails the test. */
const toolArguments: Readonly<Record<string, readonly string[]>> = {
  code__format_code: aProgram,
  code__analyze_complexity: aProgram,
  code__review_code: aProgram,
  code__refactor_code: aProgram,
  code__scan_security: aProgram,
  code__scan_secrets: ['code=x = 1'],
  code__scan_dependencies: ['lockfile=requirements.txt', 'code=# nothing is needed'],
  code__analyze_dependencies: ['path=src/kernel'],
  code__formalize_task: ['informal_request=let customers pause'],
  code__generate_code: ['description=reverse a text'],
  code__generate_tests: ['code=def f(a): return a'],
  code__generate_code_with_context: ['request=reverse a text'],
  agent__ask: ['message=Hello'],
  standards__get_standard: ['language=python'],
  standards__check_standards_overrides: [],
  docs__resolve_library: ['name=zod'],
  docs__get_docs: ['library=zod', 'topic=parse'],
  exec__check_code: aProgram,
  exec__run_code: aProgram,
  exec__run_command: ['argv=["true"]'],
  exec__run_tests: [`files=${JSON.stringify({ 'a.test.mjs': 'import "node:test";' })}`],
  admin__find_tools: ['query=format my code'],
  admin__call_tool: ['name=standards.get_standard', 'arguments={"language":"go"}'],
  admin__list_tools: [],
  admin__get_server_status: [],
  admin__get_status: [],
  workflow__check_plan: [`plan=${plan}`],
  workflow__run_plan: [`plan=${plan}`],
  workflow__list_runs: [],
  // The one run there is, by how all ids begin until 2039.
  workflow__get_run: ['run_id="1"'],
  workflow__read_artifact: [`id=sha256:${digestOfOutput}`],
  admin__cancel_task: ['id="1"'],
  workspace__read_file: ['path=a.txt'],
  workspace__list_files: [],
  workspace__search_text: ['query=a'],
  workspace__apply_changes: ['path=b.txt', 'content=b'],
  workspace__replace_text: ['find=b', 'replace_with=c', 'path=b.txt'],
  workspace__undo_changes: [],
  workspace__git_status: [],
  workspace__git_diff: [],
  workspace__git_log: [],
  workspace__git_blame: ['path=a.txt'],
  workspace__git_commit: ['message=second', 'paths=["c.txt"]'],
  memory__remember: ['text=Staging runs on port 5433'],
  memory__search: ['query=staging port'],
  // The one item that was remembered: ids of turns have digits first.
  memory__explain: ['id=m'],
  memory__update: ['id=m', 'action=pin'],
  memory__forget: ['ids=["m"]'],
  agent__create_context: ['name=notes', 'items=[{"title":"rule","text":"Use tabs."}]'],
  agent__list_contexts: [],
  agent__get_context: ['context=notes'],
  agent__diff_contexts: ['from=notes', 'to=notes'],
  agent__list_agents: [],
  // After the tools that know of one run only.
  agent__delegate: [
    'capability=code.measure',
    'task=How complex is it?',
    'inputs={"path":"src/kernel/short-reply.ts"}',
  ],
  debug__explain_failure: ['text=listen EADDRINUSE: address already in use'],
  debug__suggest_fixes: ['text=listen EADDRINUSE: address already in use'],
  debug__record_outcome: ['fix=shipped:port-in-use:1', 'cured=true'],
};

describe("the Inspector's command line over tutti mcp", () => {
  const tutti = (): string[] => [process.execPath, start, 'mcp', '--home', home];

  it('lists every tool and calls them', async () => {
    const { tools } = await inspect(...tutti(), '--method', 'tools/list', '--strict');
    const names = (tools as { name: string }[]).map((tool) => tool.name);
    expect(names.toSorted()).toEqual(Object.keys(toolArguments).toSorted());
    const failed: string[] = [];
    const own = Object.entries(toolArguments);
    // They work on one another's runs and files.
    const isBound = (name: string): boolean =>
      /^(?:work|admin__cancel|memory|agent__\w+_context|agent__delegate)/.test(name);
    const inOrder = own.filter(([name]) => isBound(name));
    const others = own.filter(([name]) => !isBound(name));
    for (const [name, args] of [...sampleSeeded(others, 10), ...inOrder]) {
      const given = args.length > 0 ? ['--tool-arg', ...args] : [];
      const call = ['--method', 'tools/call', '--tool-name', name, ...given];
      // Without a sandbox nothing runs, and that is right.
      if (bubblewrapMissing && name.startsWith('exec__run_')) continue;
      const result = await inspect(...tutti(), ...call);
      if (result['isError'] === true || !result['structuredContent']) failed.push(name);
    }
    expect(failed).toEqual([]);
  }, 300_000);
});
