import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../src/cli/command-table.ts';
import { aFolder, runTutti, serveTutti, type Ended } from './support/run-tutti.ts';

const fixture = new URL('../testkit/gateway/stdio-fixture.ts', import.meta.url).pathname;

const plan = `
name: remote
steps:
  - id: standard
    tool: standards.get_standard
    args: { language: python }
  - id: gate
    approval: { message: Go on? }
`;

/** A server, and a folder of somebody else who knows its address. */
async function aServer(settings?: object) {
  const cwd = aFolder();
  if (settings) {
    mkdirSync(join(cwd, '.config', 'tutti'), { recursive: true });
    writeFileSync(join(cwd, '.config', 'tutti', 'config.yaml'), JSON.stringify(settings));
  }
  writeFileSync(join(cwd, 'app.py'), 'def f( a,b ):\n  return a+b\n');
  const { url, headers } = await serveTutti({ cwd });
  const token = headers.authorization.replace('Bearer ', '');
  const elsewhere = aFolder();
  const at = (env: Readonly<Record<string, string>>, ...argv: string[]): Promise<Ended> =>
    runTutti(argv, { cwd: elsewhere, env });
  const run = (...argv: string[]): Promise<Ended> =>
    at({ TUTTI_SERVER: url, TUTTI_TOKEN: token }, ...argv);
  return { url, token, elsewhere, at, run };
}

describe('tutti with --server', { timeout: 120_000 }, () => {
  it('lists, finds and calls tools, and shows servers of the server', async () => {
    const { url, token, at, run } = await aServer();
    const tools = await at({ TUTTI_TOKEN: token }, '--server', url, 'tools', '--json');
    expect(tools.exitCode, tools.stderr).toBe(0);
    const names = JSON.parse(tools.stdout).map(({ name }: { name: string }) => name);
    expect(names).toContain('workspace.read_file');
    const call = await run('call', 'workspace.read_file', 'path=app.py');
    expect(call.stdout, call.stderr).toContain('def f( a,b )');
    const servers = await run('servers', '--json');
    expect(servers.stdout).toContain('"code"');
    const missing = await run('call', 'code.no_such_tool');
    expect(missing.exitCode).not.toBe(0);
    expect(missing.stderr).toContain('no_such_tool');
  });

  it('starts a run there, shows what it waits for, approves it and sees its end', async () => {
    const { elsewhere, run } = await aServer();
    writeFileSync(join(elsewhere, 'remote.plan.yaml'), plan);
    const check = await run('plan', 'check', 'remote.plan.yaml');
    expect(check.exitCode, check.stderr).toBe(0);
    const started = await run('run', 'remote.plan.yaml', '--json');
    expect(started.exitCode, started.stderr).toBe(4);
    const list = await run('runs', '--json');
    const [first] = JSON.parse(list.stdout);
    expect(first).toMatchObject({ name: 'remote', status: 'waiting' });
    const approved = await run('runs', 'approve', first.runId, 'gate', '--json');
    expect(approved.exitCode, approved.stderr + approved.stdout).toBe(0);
    const shown = await run('runs', 'show', first.runId, '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'succeeded' });
  });

  it('shows the progress of a message and streams its answer', async () => {
    const { run } = await aServer();
    const asked = await run('ask', 'review app.py', '--yes');
    expect(asked.exitCode, asked.stderr).toBe(0);
    expect(asked.stderr).toContain('review_code: succeeded');
    expect(asked.stdout).toContain('app.py:1:');
    const refused = await run('ask', 'review app.py', '--session', 'no-such-session');
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain('no-such-session');
  });

  it('plans a sentence there, and keeps the conversation with the server', async () => {
    const { run } = await aServer();
    const asked = await run('ask', 'format app.py', '--json', '--plan-only');
    expect(asked.exitCode, asked.stderr).toBe(0);
    expect(JSON.parse(asked.stdout)).toMatchObject({ kind: 'plan' });
    const sessions = await run('sessions', '--json');
    expect(JSON.parse(sessions.stdout)).toHaveLength(1);
  });

  it('is refused without a token, and with one for too little, with the code of the server', async () => {
    const { url, token, at } = await aServer();
    const without = await at({}, '--server', url, 'tools');
    expect(without.exitCode).not.toBe(0);
    expect(without.stderr).toContain('token');
    const admin = { TUTTI_TOKEN: token, TUTTI_SERVER: url };
    const made = await at(admin, 'keys', 'create', 'reader', '--role', 'viewer', '--json');
    const { secret } = JSON.parse(made.stdout);
    const reader = { TUTTI_TOKEN: secret, TUTTI_SERVER: url };
    expect((await at(reader, 'tools', 'code')).exitCode).toBe(0);
    const call = await at(reader, 'call', 'workspace.read_file', 'path=app.py');
    expect(call.exitCode).toBe(3);
    expect(call.stderr).toContain('tools.call');
  });

  it('lists, shows, explains and switches the agents of the server, and says what stays there', async () => {
    const { run } = await aServer();
    expect((await run('agents')).stdout).toContain('testing@1.0.0');
    expect((await run('agents', 'disable', 'testing')).exitCode).toBe(0);
    expect((await run('agents', 'show', 'testing')).stdout).toContain('retired (switched off)');
    expect((await run('agents', 'enable', 'testing@1.0.0', '--json')).exitCode).toBe(0);
    expect((await run('agents', 'why', 'code.review')).stdout).toContain('code-analysis');
    const unknown = await run('agents', 'show', 'nothere');
    expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining('"nothere"')]);
    for (const words of [
      ['compare', 'testing@1.0.0', 'testing@2.0.0'],
      ['rollback', 'testing'],
      ['propose'],
    ]) {
      const refused = await run('agents', ...words);
      expect([refused.exitCode, refused.stderr]).toEqual([
        2,
        expect.stringContaining('client.not_remote'),
      ]);
    }
  });

  it('counts what was called, and shows traces, of the server', async () => {
    const { run } = await aServer();
    expect((await run('call', 'workspace.read_file', 'path=app.py')).exitCode).toBe(0);
    await expect
      .poll(async () => (await run('usage')).stdout, { timeout: 20_000 })
      .toContain('workspace.read_file');
    const byDay = await run('usage', '--by', 'day', '--since', '1d', '--json');
    expect(JSON.parse(byDay.stdout)).toMatchObject([{ calls: 1 }]);
    const wrong = await run('usage', '--by', 'colour');
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('colour')]);
    expect((await run('trace')).stdout).toContain('read_file');
    expect((await run('trace', 'last')).stdout).toContain('workspace.read_file');
  });

  it('switches keys, tenants and servers off and on at the server, and the audit log has it', async () => {
    const settings = {
      mcpServers: { fixture: { command: process.execPath, args: [fixture] } },
    };
    const { url, at, run } = await aServer(settings);
    const made = await run('keys', 'create', 'ci', '--tenant', 'acme', '--json');
    const { key, secret } = JSON.parse(made.stdout);
    const ci = (...argv: string[]) => at({ TUTTI_SERVER: url, TUTTI_TOKEN: secret }, ...argv);
    const allowed = await run('access', 'explain', 'acme/ci', 'code.format_code');
    expect([allowed.exitCode, allowed.stdout]).toEqual([0, expect.stringContaining('may call')]);
    expect((await ci('tools', 'code')).exitCode).toBe(0);
    expect((await run('keys', 'disable', 'ci')).exitCode).toBe(0);
    expect((await ci('tools', 'code')).stderr).toContain('api.unauthenticated');
    expect((await run('keys')).stdout).toContain('disabled');
    expect((await run('keys', 'enable', 'ci')).exitCode).toBe(0);
    expect((await run('keys', 'disable-tenant', 'acme')).exitCode).toBe(0);
    expect((await run('keys', 'tenants')).stdout).toContain('acme');
    expect((await ci('tools', 'code')).exitCode).not.toBe(0);
    const refused = await run('access', 'explain', 'acme/ci', 'code.format_code');
    expect([refused.exitCode, refused.stdout]).toEqual([3, expect.stringContaining('disabled')]);
    expect((await run('keys', 'enable-tenant', 'acme')).exitCode).toBe(0);

    expect((await run('servers')).stdout).toMatch(/fixture +(?:ready|idle)/);
    const seen = await run('keys', 'create', 'eye', '--role', 'viewer', '--json');
    const viewer = { TUTTI_SERVER: url, TUTTI_TOKEN: JSON.parse(seen.stdout).secret };
    const forbidden = await at(viewer, 'servers', 'disable', 'fixture');
    expect([forbidden.exitCode, forbidden.stderr]).toEqual([
      3,
      expect.stringContaining('servers.manage'),
    ]);
    const off = await run('servers', 'disable', 'fixture');
    expect([off.exitCode, off.stdout]).toEqual([0, '"fixture" was disabled at the server\n']);
    expect((await run('servers')).stdout).toMatch(/fixture +disabled/);
    expect((await run('servers', 'enable', 'fixture')).exitCode).toBe(0);
    expect((await run('servers')).stdout).toMatch(/fixture +(?:ready|idle)/);
    expect((await run('servers', 'disable', 'code')).exitCode).not.toBe(0);

    const { stdout } = await run('audit', '--json', '--limit', '1000');
    const entries = JSON.parse(stdout) as { target: string; isAllowed: boolean }[];
    const targets = entries.filter(({ isAllowed }) => isAllowed).map(({ target }) => target);
    expect(targets).toEqual(
      expect.arrayContaining([
        `disable ${key.id}`,
        'disable tenant acme',
        'enable tenant acme',
        'disable fixture',
        'enable fixture',
      ]),
    );
  });

  it('either works or says that it does not, for every command that needs no operands', async () => {
    const { run } = await aServer();
    const bare = commands.filter(
      ({ name, operands, isLocal }) =>
        isLocal !== true && !operands.includes('<') && !['ask', 'chat'].includes(name),
    );
    expect(bare.length).toBeGreaterThan(15);
    const failed: string[] = [];
    for (const { name } of bare) {
      const { exitCode, stderr } = await run(name);
      if (exitCode !== 0 && !stderr.includes('client.not_remote'))
        failed.push(`${name}: ${stderr}`);
    }
    expect(failed).toEqual([]);
  });

  it('says what does not work from afar, and when nothing answers', async () => {
    const { url, at, run } = await aServer();
    const doctor = await at({}, '--server', url, 'doctor');
    expect([doctor.exitCode, doctor.stderr]).toEqual([2, expect.stringContaining('--server')]);
    const added = await at({}, '--server', url, 'servers', 'add', 'x', '--', 'touch', 'planted');
    expect([added.exitCode, added.stderr]).toEqual([2, expect.stringContaining('--server')]);
    const local = await run('config');
    expect(local.exitCode, local.stderr).toBe(0);
    const gone = await at({}, '--server', 'http://127.0.0.1:9', 'tools');
    expect([gone.exitCode, gone.stderr]).toEqual([1, expect.stringContaining('cannot be reached')]);
    expect((await at({}, '--server', 'nonsense', 'tools')).exitCode).toBe(2);
  });
});
