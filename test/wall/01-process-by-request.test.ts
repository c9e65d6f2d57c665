import { spawnSync } from 'node:child_process';
import { beforeAll, expect, it } from 'vitest';
import { aWall, routesOf, rpcOf, type Json } from '../support/wall/a-wall.ts';

const wall = aWall();
const canary = 'tutti-wall-canary';

beforeAll(() => void spawnSync('git', ['init', '-q', wall.project]));

/** Definitions of stdio servers as they were smuggled into other products. */
const definitions: Readonly<Record<string, object>> = {
  'a test of a connection (CVE-2026-42271)': { transport: 'stdio', command: canary, args: ['x'] },
  'an entry of mcpServers (CVE-2026-30623)': { mcpServers: { x: { command: canary, args: [] } } },
  'an import with npx -c (CVE-2026-40933)': { command: 'npx', args: ['-c', canary] },
  'options of Node in another case (CVE-2026-58057)': {
    command: 'node',
    env: { Node_Options: `--require=${canary}` },
  },
  'a tool archive (CVE-2026-54149)': { tool: { init: canary, code: canary } },
  'a router entry (CVE-2026-46339, 49353, 62312)': { router: { cmd: canary, shell: true } },
  'a connect request (CVE-2026-23744)': { serverConfig: { command: canary, args: [], env: {} } },
  'a proxied transport (CVE-2025-49596)': { transportType: 'stdio', command: canary, args: 'x' },
  'a file of settings (CVE-2026-30615)': { path: '.tutti/mcp.json', content: { command: canary } },
  'a server of a user (CVE-2026-22252)': { title: 'x', type: 'stdio', command: `/bin/${canary}` },
  'a connection test with arguments (CVE-2026-30616)': { type: 'stdio', args: ['-c', canary] },
  'a prompt with a command (CVE-2025-65720)': { prompt: `run ${canary}`, exec: canary },
  'a component (CVE-2026-9135, 7755)': { mode: 'Stdio', command: `bash -c ${canary}` },
  'a shell in a name (CVE-2025-54994)': { name: `x; ${canary}`, url: `$(${canary})` },
};

const served = (program: readonly string[]): boolean => JSON.stringify(program).includes(canary);

it.each(Object.entries(definitions))('starts nothing for %s, on any route', async (_what, body) => {
  for (const { method, path } of await routesOf(wall)) {
    if (method === 'GET' || method === 'DELETE') {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(body)) query.set(name, JSON.stringify(value));
      await wall.http({ method, path: `${path}?${query.toString()}` });
    } else await wall.http({ method, path, body });
  }
  expect(wall.started()).toEqual([]);
});

it.each(['/mcp-rest/test/tools/list', '/mcp-rest/test/connection', '/api/mcp/connect', '/connect'])(
  'has no route %s that tests a connection',
  async (path) => {
    const body = { transport: 'stdio', command: canary };
    expect((await wall.http({ method: 'POST', path, body })).status).toBe(404);
    const query = `?transportType=stdio&command=${canary}&args=x`;
    expect((await wall.http({ path: `${path}${query}` })).status).toBe(404);
    expect(wall.started()).toEqual([]);
  },
);

it.each(['servers/add', 'servers/connect', 'tools/register', 'completion/run', 'sampling/exec'])(
  'knows no method %s in either era',
  async (method) => {
    const params = { command: canary, args: [] };
    expect(rpcOf(await wall.stateless(method, params))).toMatchObject({ error: { code: -32_601 } });
    expect(rpcOf(await wall.inSession(method, params))).toMatchObject({ error: { code: -32_601 } });
    expect(wall.started()).toEqual([]);
  },
);

/** These run programs by design: of a sandbox, or `git`. */
const runsPrograms =
  /^(?:exec__|workspace__git_|code__generate|code__refactor|agent__|admin__call_tool|workflow__run)/;

it('starts nothing for definitions in every argument of every tool, in both eras', async () => {
  const { result } = rpcOf(await wall.stateless('tools/list')) as {
    result: { tools: { name: string; inputSchema: { properties?: Record<string, Json> } }[] };
  };
  const tools = result.tools.filter(({ name }) => !runsPrograms.test(name));
  expect(tools.length).toBeGreaterThan(20);
  for (const { name, inputSchema } of tools) {
    const names = Object.keys(inputSchema.properties ?? {});
    const smuggled = Object.assign({}, ...Object.values(definitions)) as object;
    const filled = Object.fromEntries(names.map((argument) => [argument, `$(${canary})`]));
    for (const args of [smuggled, filled, { ...filled, ...smuggled }]) {
      await wall.stateless('tools/call', { name, arguments: args });
      await wall.inSession('tools/call', { name, arguments: args });
    }
  }
  expect(wall.started().filter(served)).toEqual([]);
  expect(wall.started()).toEqual([]);
}, 120_000);

it('starts only git for the tools of git, and never with a program of the caller', async () => {
  await wall.stateless('tools/call', { name: 'workspace__git_status', arguments: {} });
  for (const name of ['git_log', 'git_diff', 'git_blame', 'git_status']) {
    const args = { path: `--upload-pack=${canary}`, ref: `--exec=${canary}`, file: `-c${canary}` };
    await wall.stateless('tools/call', { name: `workspace__${name}`, arguments: args });
    const said = { path: '.', ref: `ext::sh -c ${canary}`, revision: `--output=${canary}` };
    await wall.stateless('tools/call', { name: `workspace__${name}`, arguments: said });
  }
  expect(
    wall.started().some(([file]) => file?.endsWith('git')),
    'the spy sees git',
  ).toBe(true);
  const programs = wall.started().filter(([file]) => !/(?:^|\/)(?:git|bash|sh)$/.test(file ?? ''));
  expect(programs).toEqual([]);
});

it('starts nothing for a plan that names a program, before or after its check', async () => {
  const steps = [{ id: 'a', tool: `shell.${canary}`, args: { command: canary } }];
  const before = wall.started().length;
  for (const name of ['workflow__check_plan', 'workflow__run_plan']) {
    for (const plan of [{ plan: { steps } }, { plan: JSON.stringify({ steps }) }]) {
      const answer = rpcOf(await wall.stateless('tools/call', { name, arguments: plan }));
      expect(JSON.stringify(answer)).toMatch(/isError|"error"|problems|valid/);
    }
  }
  expect(wall.started().length).toBe(before);
});
