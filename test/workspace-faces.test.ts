import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aFolder, program, runTutti } from './support/run-tutti.ts';

/** What must be refused, with a word of the sentence that says why. */
const refused: readonly (readonly [path: string, word: string])[] = [
  ['link.txt', 'symbolic link'],
  ['linked/x.txt', 'symbolic link'],
  ['../x.txt', '".."'],
  ['.GIT/config', 'Git'],
  ['Tutti.yaml', 'Tutti'],
  ['data/tutti.db', 'data directory'],
  ['pipe', 'named pipe'],
  ['huge.bin', 'too large'],
];

function aProject(): string {
  const cwd = aFolder();
  writeFileSync(join(cwd, 'a.txt'), 'one\n');
  symlinkSync(join(cwd, 'a.txt'), join(cwd, 'link.txt'));
  symlinkSync(aFolder(), join(cwd, 'linked'));
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  writeFileSync(join(cwd, 'huge.bin'), '');
  truncateSync(join(cwd, 'huge.bin'), 1_073_741_824);
  return cwd;
}

const content = (cwd: string) => readFileSync(join(cwd, 'a.txt'), 'utf8');

describe('tutti call', { timeout: 60_000 }, () => {
  it('writes a file, undoes that, and refuses what changed since it was read', async () => {
    const cwd = aProject();
    const call = async (...argv: readonly string[]) => {
      const { stdout } = await runTutti(['call', ...argv, '--json'], { cwd });
      return JSON.parse(stdout);
    };
    const { hash } = await call('workspace.read_file', 'path=a.txt');
    const change = [
      'workspace.apply_changes',
      'path=a.txt',
      'content=two',
      `expected_hash=${hash}`,
    ];
    expect(await call(...change)).toMatchObject({ diff: expect.stringContaining('+two') });
    expect(content(cwd)).toBe('two');
    expect(await call(...change)).toMatchObject({ error: { code: 'workspace.changed_on_disk' } });
    await call('workspace.undo_changes');
    expect(content(cwd)).toBe('one\n');
  });

  it.each(refused)('refuses %s', async (path, word) => {
    const cwd = aProject();
    const argv = ['call', 'workspace.apply_changes', `path=${path}`, 'content=x'];
    const { exitCode, stderr } = await runTutti(argv, { cwd });
    expect(stderr).toContain(word);
    expect(exitCode).not.toBe(0);
    expect(content(cwd)).toBe('one\n');
  });
});

describe('a plan', { timeout: 60_000 }, () => {
  const step = { id: 'save', tool: 'workspace.apply_changes', approval: true };
  const plan = { steps: [{ ...step, args: { path: 'a.txt', content: 'two\n' } }] };

  async function aWaitingRun() {
    const cwd = aProject();
    writeFileSync(join(cwd, 'plan.json'), JSON.stringify(plan));
    const waiting = await runTutti(['run', 'plan.json'], { cwd });
    expect(waiting.exitCode).toBe(4);
    const [, runId = ''] = /^Run (\S+)/m.exec(waiting.stderr) ?? [];
    return { cwd, runId, stderr: waiting.stderr };
  }

  it('shows the diff before it is approved, and applies it then', async () => {
    const { cwd, runId, stderr } = await aWaitingRun();
    expect(stderr).toContain('-one\n+two\n');
    expect(content(cwd)).toBe('one\n');
    const shown = await runTutti(['runs', 'show', runId], { cwd });
    expect(shown.stdout + shown.stderr).toContain('-one\n+two\n');
    expect((await runTutti(['runs', 'approve', runId], { cwd })).exitCode).toBe(0);
    expect(content(cwd)).toBe('two\n');
  });

  it('applies nothing when the file changed after it was shown', async () => {
    const { cwd, runId } = await aWaitingRun();
    writeFileSync(join(cwd, 'a.txt'), 'edited\n');
    const approved = await runTutti(['runs', 'approve', runId], { cwd });
    expect(approved.exitCode).toBe(1);
    expect(approved.stderr).toContain('"a.txt" changed on disk since the change was shown');
    expect(content(cwd)).toBe('edited\n');
  });

  it('asks nobody about a change that is refused anyway', async () => {
    const cwd = aProject();
    const escape = { steps: [{ ...step, args: { path: 'link.txt', content: 'x' } }] };
    writeFileSync(join(cwd, 'plan.json'), JSON.stringify(escape));
    const ended = await runTutti(['run', 'plan.json'], { cwd });
    expect([ended.exitCode, ended.stderr]).toEqual([1, expect.stringContaining('symbolic link')]);
  });
});

describe('over MCP', { timeout: 60_000 }, () => {
  async function aClient(cwd: string, approve: boolean) {
    const asked: string[] = [];
    const client = new Client(
      { name: 'test', version: '0' },
      { capabilities: { elicitation: {} } },
    );
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { approve } };
    });
    const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, TUTTI_HOME: join(cwd, 'data') };
    const args = [program, 'mcp'];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd }));
    onTestFinished(() => client.close());
    return { client, asked };
  }

  it('a client changes files and undoes that; refusals are results with a sentence', async () => {
    const cwd = aProject();
    const { client } = await aClient(cwd, true);
    const { tools } = await client.listTools();
    const effects = tools.filter(({ name }) => /^workspace__(apply|undo|git_commit)/.test(name));
    expect(effects.map(({ annotations }) => annotations?.destructiveHint)).toEqual([
      true,
      true,
      true,
    ]);
    const call = (name: string, args: Record<string, unknown>) =>
      client.callTool({ name: `workspace__${name}`, arguments: args });
    const changed = await call('apply_changes', { path: 'a.txt', content: 'two\n' });
    expect(changed.structuredContent).toMatchObject({ diff: expect.stringContaining('+two') });
    expect(content(cwd)).toBe('two\n');
    await call('undo_changes', {});
    expect(content(cwd)).toBe('one\n');
    for (const [path, word] of refused) {
      const result = await call('apply_changes', { path, content: 'x' });
      expect([result.isError, JSON.stringify(result.content)]).toEqual([
        true,
        expect.stringContaining(JSON.stringify(word).slice(1, -1)),
      ]);
    }
  });

  it.each([
    [true, 'two\n'],
    [false, 'one\n'],
  ])('the person at the client sees the diff and answers %s', async (approve, after) => {
    const cwd = aProject();
    const { client, asked } = await aClient(cwd, approve);
    const args = { path: 'a.txt', content: 'two\n' };
    const plan = {
      steps: [{ id: 'save', tool: 'workspace.apply_changes', approval: true, args }],
    };
    await client.callTool({ name: 'workflow__run_plan', arguments: { plan } });
    expect(asked).toEqual([expect.stringContaining('-one\n+two\n')]);
    expect(content(cwd)).toBe(after);
  });

  it.each([
    [true, false],
    [false, true],
  ])('the agent asks one question about one change, answered %s', async (approve, remains) => {
    const cwd = aProject();
    const { client, asked } = await aClient(cwd, approve);
    await client.callTool({ name: 'agent__ask', arguments: { message: 'delete a.txt' } });
    expect(asked).toEqual([expect.stringContaining('-one\n')]);
    expect(existsSync(join(cwd, 'a.txt'))).toBe(remains);
  });
});
