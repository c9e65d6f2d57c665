import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aFolder, runTutti, serveTutti, type Ended } from './support/run-tutti.ts';

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
async function aServer() {
  const cwd = aFolder();
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
