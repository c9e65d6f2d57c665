import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aFolder, runTutti, startTutti, untilEnd } from './support/run-tutti.ts';

const ugly = 'def f( a,b ):return a+b';
const formatted = z.object({ formatted_code: z.string() });

describe('the program', () => {
  it('formats code as black does', async () => {
    const argv = ['call', 'code.format_code', 'language=python', `code=${ugly}`, '--json'];
    const { stdout, stderr, exitCode } = await runTutti(argv, { cwd: aFolder() });
    // A slow machine is told what is waited for.
    const said = stderr.replaceAll(/^Waiting for .*\n/gm, '');
    expect({ said, exitCode }).toEqual({ said: '', exitCode: 0 });
    expect(formatted.parse(JSON.parse(stdout)).formatted_code).toBe(
      'def f(a, b):\n    return a + b\n',
    );
  });

  it('reads code from standard input', async () => {
    const argv = ['call', 'code.format_code', 'language=python', 'code=-', '--json'];
    const { stdout } = await runTutti(argv, { cwd: aFolder(), stdin: ugly });
    expect(formatted.parse(JSON.parse(stdout)).formatted_code).toContain('def f(a, b):');
  });

  it('ends with 1 and the error as JSON when a tool fails', async () => {
    const argv = ['call', 'code.format_code', 'language=python', 'code=def', '--json'];
    const { stdout, exitCode } = await runTutti(argv, { cwd: aFolder() });
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'code.syntax_error', details: { line: 1 } },
    });
  });

  it('refuses a wrong settings file with file, line, key, what was expected, and exit code 2', async () => {
    const cwd = aFolder();
    writeFileSync(join(cwd, 'tutti.yaml'), 'performance:\n  timeout_seconds: many\n');
    const { stdout, stderr, exitCode } = await runTutti(['config'], { cwd });
    expect([stdout, exitCode]).toEqual(['', 2]);
    expect(stderr).toContain(
      `${join(cwd, 'tutti.yaml')}:2:20: performance.timeout_seconds: expected a number above 0, at most 86400, found "many"`,
    );
    expect(stderr).not.toContain('    at ');
  });

  const needHome = ['ask hi', 'tools', 'runs', 'servers list', 'doctor', 'mcp', 'worker', 'models'];
  it.each(needHome)('needs a data directory it can write to: tutti %s', async (line) => {
    const cwd = aFolder();
    const home = join(cwd, 'data');
    writeFileSync(home, 'a file');
    const { stderr, exitCode } = await runTutti(line.split(' '), { cwd });
    expect([exitCode, stderr]).toEqual([
      2,
      `error: The data directory ${home} cannot be used: it is a file. Correct that, or set TUTTI_HOME to a directory that you can write to (compose.data_directory)\n`,
    ]);
  });

  it('lets no project’s file decide what is overwritten, what is readable and where data goes', async () => {
    const cwd = aFolder();
    const victim = join(cwd, 'victim.txt');
    writeFileSync(victim, 'precious');
    writeFileSync(
      join(cwd, 'tutti.yaml'),
      `roots: ["/"]\nlogging: {file: ${victim}, max_size: 1B, backup_count: 0}\ntracing: {otlp_endpoint: "http://localhost:9"}\n`,
    );
    const { stderr, exitCode } = await runTutti(['tools', '--log-level', 'debug'], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('tutti.yaml:1:1: roots.0: expected a path at or below');
    for (const key of ['logging.file', 'logging.max_size', 'tracing.otlp_endpoint']) {
      expect(stderr).toContain(`${key}: expected in your own ${join(cwd, '.config')}`);
    }
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });

  it('shows where each setting came from, and no secret', async () => {
    const cwd = aFolder();
    mkdirSync(join(cwd, 'xdg/tutti'), { recursive: true });
    writeFileSync(join(cwd, 'xdg/tutti/config.yaml'), 'server: {auth_token: planted-secret}\n');
    const env = {
      XDG_CONFIG_HOME: join(cwd, 'xdg'),
      OPENAI_API_KEY: 'planted-key',
      TUTTI_LOGGING_LEVEL: 'warn',
    };
    const { stdout, exitCode } = await runTutti(['config', '--set', 'server.port=1'], { cwd, env });
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain('planted');
    expect(stdout).toMatch(/^server\.port +1 +flag$/m);
    expect(stdout).toMatch(/^server\.auth_token +"\[hidden\]" .*config\.yaml:1$/m);
    expect(stdout).toMatch(/^logging\.level +"warn" +env TUTTI_LOGGING_LEVEL$/m);
  });

  it.each([
    ['--help', /Usage: tutti/],
    ['--version', /^\d+\.\d+\.\d+\n$/],
  ])('loads nothing but its own room for %s', async (flag, output) => {
    const hook = `import { registerHooks } from 'node:module';
      registerHooks({ load: (url, context, next) => {
        if (!url.startsWith('node:')) process.stderr.write(url + '\\n');
        return next(url, context);
      } });`;
    const nodeArguments = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`];
    const { stdout, stderr } = await runTutti([flag], { cwd: aFolder(), nodeArguments });
    expect(stdout).toMatch(output);
    const loaded = stderr.trim().split('\n');
    expect(loaded.some((url) => url.endsWith('/dist/cli/start.js'))).toBe(true);
    // A few bundles, and none of those that hold settings, schemas or tools.
    expect(loaded.length).toBeLessThan(10);
    expect(
      loaded.filter((url) => /node_modules|compose|schemas|toolbox|settings/.test(url)),
    ).toEqual([]);
  });

  it('ends quietly when its reader goes away', async () => {
    const child = startTutti(['tools', '--json'], { cwd: aFolder() });
    child.stdin.end();
    child.stdout.destroy();
    const { stderr, exitCode } = await untilEnd(child);
    expect([stderr, exitCode]).toEqual(['', 0]);
  });

  it('ends with 130 when it is interrupted while it waits', async () => {
    const child = startTutti(['call', 'code.format_code', 'code=-'], { cwd: aFolder() });
    const ended = untilEnd(child);
    // More than the pipe holds: when it has drained, the program reads, and so listens to signals.
    child.stdin.write('x = 1\n'.repeat(200_000));
    await once(child.stdin, 'drain');
    child.kill('SIGINT');
    expect((await ended).exitCode).toBe(130);
  });

  it('may run several times at once on one data folder', async () => {
    const cwd = aFolder();
    const argv = ['call', 'code.format_code', 'language=python', `code=${ugly}`];
    const runs = await Promise.all([1, 2, 3, 4].map(() => runTutti(argv, { cwd })));
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    const traces = await runTutti(['trace', '--json'], { cwd });
    expect(JSON.parse(traces.stdout)).toHaveLength(4);
  });

  it('prints the trace of a call as a tree', async () => {
    const cwd = aFolder();
    await runTutti(['call', 'code.format_code', 'language=python', `code=${ugly}`], { cwd });
    const { stdout } = await runTutti(['trace', '--json'], { cwd });
    const [trace] = z.array(z.object({ traceId: z.string() })).parse(JSON.parse(stdout));
    const tree = await runTutti(['trace', trace?.traceId.slice(0, 12) ?? ''], { cwd });
    expect(tree.exitCode).toBe(0);
    expect(tree.stdout).toContain('tools/call');
  });

  it('finds itself in order and copies its database', async () => {
    const cwd = aFolder();
    const doctor = await runTutti(['doctor', '--json'], { cwd });
    expect(doctor.exitCode).toBe(0);
    expect(JSON.parse(doctor.stdout)).not.toHaveLength(0);
    const backup = await runTutti(['backup', 'copy.db', '--json'], { cwd });
    expect(JSON.parse(backup.stdout)).toMatchObject({ path: join(cwd, 'copy.db') });
    expect(existsSync(join(cwd, 'copy.db'))).toBe(true);
    const again = await runTutti(['backup', 'copy.db'], { cwd });
    expect(again.exitCode).not.toBe(0);
  });
});

describe('tutti serve', () => {
  it('says where it listens, answers, and ends with 0 when told to', async () => {
    const cwd = aFolder();
    const child = startTutti(['serve', '--port', '0'], { cwd });
    const ended = untilEnd(child);
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    expect(line).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+$/);
    const health = await fetch(`${line.slice('listening on '.length)}/health`);
    expect(health.status).toBe(200);
    await health.text();
    child.kill('SIGTERM');
    expect((await ended).exitCode).toBe(0);
  });

  it.each([
    ['to its file alone', []],
    ['to its file and to stderr with --debug', ['--debug']],
  ])('logs %s', async (_name, flags) => {
    const cwd = aFolder();
    const argv = ['serve', '--port', '0', ...flags];
    // A variable that sets nothing gets a line in the log.
    const child = startTutti(argv, { cwd, env: { TUTTI_NOTHING: '1' } });
    const ended = untilEnd(child);
    await once(createInterface(child.stdout), 'line');
    child.kill('SIGTERM');
    const { stdout, stderr } = await ended;
    expect(stdout).toMatch(/^listening on \S+\n$/);
    const log = readFileSync(join(cwd, 'data/logs/tutti.log'), 'utf8');
    expect(log).toContain('"msg":"suspicious setting"');
    expect(stderr.includes('"msg":"suspicious setting"')).toBe(flags.length > 0);
  });

  it('refuses an address that is no loopback one without authentication', async () => {
    const argv = ['serve', '--host', '0.0.0.0', '--port', '0'];
    const { exitCode, stdout } = await runTutti(argv, { cwd: aFolder() });
    expect(stdout).toBe('');
    expect(exitCode).toBeGreaterThan(0);
  });
});

describe('tutti mcp', () => {
  it('answers on standard output, and ends when its input does', async () => {
    const cwd = aFolder();
    const messages = [
      {
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
    ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
    const child = startTutti(['mcp', '--only', 'code'], { cwd });
    const ended = untilEnd(child);
    const answered = Promise.withResolvers<void>();
    createInterface(child.stdout).on(
      'line',
      (line) => line.includes('"id":2') && answered.resolve(),
    );
    child.stdin.write(`${messages.join('\n')}\n`);
    await answered.promise;
    child.stdin.end();
    const { stdout, exitCode } = await ended;
    expect(exitCode).toBe(0);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(answers).toMatchObject([{ id: 1 }, { id: 2 }]);
    expect(stdout).toContain('"format_code"');
  });
});
