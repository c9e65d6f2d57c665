import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, vi } from 'vitest';
import { aFolder, runTutti, startTutti, untilEnd } from './support/run-tutti.ts';

const fixture = new URL('../testkit/fleet/fixture-server.ts', import.meta.url).pathname;
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test' } };
const beginning = [
  { id: 1, method: 'initialize', params },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
];
const toText = (messages: readonly object[]): string =>
  messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');

const waitMs = 20_000;

/** A user with servers in their settings, who starts `tutti mcp` again and again. */
function aUser(names: readonly string[]) {
  const folder = aFolder();
  const cwd = join(folder, 'project');
  const kept = join(folder, 'data', 'first-answers');
  mkdirSync(join(cwd, '.git'), { recursive: true });
  const env = { HOME: folder, TUTTI_HOME: join(folder, 'data'), TOKEN: 'planted-in-environment' };
  const settings = join(folder, '.config', 'tutti', 'config.yaml');
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const entry = { command: process.execPath, args: [fixture], env: { KEY: 'planted-in-settings' } };
  const configure = (servers: readonly string[], path = settings): void =>
    write(
      path,
      JSON.stringify({ mcpServers: Object.fromEntries(servers.map((name) => [name, entry])) }),
    );
  configure(names);

  const start = () => {
    const child = startTutti(['mcp', '--all'], { cwd, env });
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    child.stderr.resume();
    child.stdin.write(toText(beginning));
    const lineOf = (part: string): Promise<string> =>
      vi.waitFor(() => {
        const line = lines.find((it) => it.includes(part));
        if (line === undefined) throw new Error(`no line with ${part}`);
        return line;
      }, waitMs);
    const end = async (): Promise<void> => {
      child.stdin.end();
      await untilEnd(child);
    };
    return { child, lines, lineOf, end };
  };
  const list = async (): Promise<string> => {
    const started = start();
    const line = await started.lineOf('"id":2,');
    await started.end();
    return line;
  };
  /** Starts until what is answered is kept; says the list. */
  const settle = async (): Promise<string> => {
    const before = await list();
    const started = start();
    const line = await started.lineOf('"id":2,');
    await vi.waitFor(() => expect(existsSync(kept)).toBe(true), waitMs);
    await started.end();
    expect(line).toBe(before);
    return line;
  };
  const keptFile = (): string => join(kept, readdirSync(kept)[0] ?? '');
  return { cwd, env, settings, configure, write, start, list, settle, keptFile };
}

const toolsIn = (line: string): string[] =>
  (JSON.parse(line) as { result: { tools: { name: string }[] } }).result.tools.map(
    ({ name }) => name,
  );

describe('a fleet that is as it was at the last start', () => {
  it('is listed with the same bytes, and serves calls', async () => {
    const user = aUser(['one', 'two']);
    const before = await user.settle();
    const { child, lines, lineOf, end } = user.start();
    expect(await lineOf('"id":2,')).toBe(before);
    const call = { name: 'one__echo', arguments: { text: 'hello' } };
    child.stdin.write(toText([{ id: 3, method: 'tools/call', params: call }]));
    expect(await lineOf('"id":3,')).toContain('hello');
    await end();
    expect(lines.filter((line) => /"id":[12],/.test(line))).toHaveLength(2);
    expect(toolsIn(before)).toEqual(expect.arrayContaining(['one__echo', 'two__echo']));
  }, 120_000);

  it('is listed from what was kept, and the client is told when that is wrong', async () => {
    const user = aUser(['one']);
    const before = await user.settle();
    const text = readFileSync(user.keptFile(), 'utf8');
    writeFileSync(user.keptFile(), text.replace('one__echo', 'one__odds'));
    const { child, lineOf, end } = user.start();
    expect(toolsIn(await lineOf('"id":2,'))).toContain('one__odds');
    await lineOf('notifications/tools/list_changed');
    child.stdin.write(toText([{ id: 9, method: 'tools/list' }]));
    expect((await lineOf('"id":9,')).replace('"id":9', '"id":2')).toBe(before);
    await vi.waitFor(
      () => expect(readFileSync(user.keptFile(), 'utf8')).not.toContain('odds'),
      waitMs,
    );
    await end();
  }, 120_000);

  it('is kept without the values of settings and variables', async () => {
    const user = aUser(['one']);
    await user.settle();
    expect(readFileSync(user.keptFile(), 'utf8')).not.toMatch(/planted-in-/);
  }, 120_000);

  it('ends with its client, who may be gone before the system is open', async () => {
    const user = aUser(['one']);
    const before = await user.settle();
    const { exitCode, stdout } = await runTutti(['mcp', '--all'], {
      cwd: user.cwd,
      env: user.env,
      stdin: toText(beginning),
    });
    expect(exitCode).toBe(0);
    expect(stdout.split('\n').filter((line) => line === before)).toHaveLength(1);
  }, 120_000);
});

describe('what was kept is not used', () => {
  it('when a server was added or taken out', async () => {
    const user = aUser(['one', 'two']);
    await user.settle();
    user.configure(['one', 'three']);
    const names = toolsIn(await user.list());
    expect(names).toContain('three__echo');
    expect(names).not.toContain('two__echo');
  }, 120_000);

  it('when the settings are broken: nothing is answered, and the exit code is 2', async () => {
    const user = aUser(['one']);
    await user.settle();
    user.write(user.settings, 'mcpServers:\n  one:\n    comand: x\n');
    const { exitCode, stdout, stderr } = await runTutti(['mcp', '--all'], {
      cwd: user.cwd,
      env: user.env,
      stdin: toText(beginning),
    });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('config.yaml:');
  }, 120_000);

  it('when the trust in a project is taken back', async () => {
    const user = aUser([]);
    user.configure(['ours'], join(user.cwd, 'tutti.yaml'));
    await runTutti(['trust', '--yes'], { cwd: user.cwd, env: user.env });
    expect(toolsIn(await user.settle())).toContain('ours__echo');
    await runTutti(['trust', '--revoke'], { cwd: user.cwd, env: user.env });
    expect(toolsIn(await user.list())).not.toContain('ours__echo');
  }, 120_000);
});
