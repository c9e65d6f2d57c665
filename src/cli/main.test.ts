import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { commands } from './command-table.ts';
import { runMain, runWith } from '../../testkit/cli/run-main.ts';

describe('--json', () => {
  it.each([
    ['call fake.echo_all text=a'],
    ['call fake.no_structure'],
    ['call fake.fail_known'],
    ['call fake.throw_bug'],
    ['call nothing.here'],
    ['call'],
    ['tools'],
    ['tools echo'],
    ['tools zzzz'],
    ['resources'],
    ['resources fake://one'],
    ['prompts'],
    ['prompts fake.greet who=me'],
    ['prompts fake.grete'],
    ['config'],
    ['config nonsense'],
    ['doctor'],
    ['trace'],
    ['trace abc'],
    ['trace missing'],
    ['audit'],
    ['audit export'],
    ['audit verify'],
    ['audit verify --expect 1:x'],
    ['backup x.db'],
    ['servers'],
    ['servers logs fake'],
    ['servers restart fake'],
    ['servers restat fake'],
    ['servers add x'],
    ['ask hello you'],
    ['ask @gone.py'],
    ['chat'],
    ['models'],
    ['unknown-command'],
    ['tools --unknown-option'],
    ['--set broken tools'],
    [''],
  ])('prints exactly one JSON document: tutti %s --json', async (line) => {
    const words = line.split(' ').filter(Boolean);
    const { stdout, exitCode } = await runMain([...words, '--json']);
    const document: unknown = JSON.parse(stdout);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    const isFailure = typeof document === 'object' && document !== null && 'error' in document;
    expect(isFailure).toBe(exitCode !== 0);
  });

  it('may stand anywhere, and is spread over lines on a terminal', async () => {
    const { stdout } = await runMain(['--json', 'doctor'], { isTTY: true });
    expect(JSON.parse(stdout)).toHaveLength(2);
    expect(stdout.split('\n').length).toBeGreaterThan(5);
  });

  it('says null for a setting that is not set', async () => {
    const { stdout } = await runMain(['config', 'server', '--json']);
    expect(JSON.parse(stdout)).toEqual([
      { key: 'server.port', value: 8004, source: 'default', description: 'Port.' },
      { key: 'server.auth_token', value: null, source: 'default', description: 'Token.' },
    ]);
  });
});

describe('--server', () => {
  it.each(commands.filter(({ isLocal }) => isLocal).map(({ name }) => name))(
    'is refused by %s, which works on this machine alone',
    async (name) => {
      const { exitCode, stderr } = await runMain([name, '--server', 'http://127.0.0.1:9']);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('client.not_remote')]);
    },
  );
});

describe('exit codes', () => {
  it.each([
    ['tools', 0],
    ['doctor', 0],
    ['--help', 0],
    ['call --help', 0],
    ['help call', 0],
    ['--version', 0],
    ['', 0],
    ['call fake.fail_known', 1],
    ['call fake.fail_unknown', 1],
    ['call fake.fail_bare', 1],
    ['call fake.throw_bug', 1],
    ['call fake.fail_refused', 3],
    ['call', 2],
    ['call nothing.here', 2],
    ['call fake.echo_all text', 2],
    ['call fake.echo_all =x', 2],
    ['call fake.echo_all txt=a', 2],
    ['call fake.echo_all text=a text=b', 2],
    ['call fake.echo_all options={', 2],
    ['call fake.echo_all --args {', 2],
    ['call fake.echo_all --args []', 2],
    ['call fake.echo_all --args-file /does/not/exist', 2],
    ['call fake.echo_all text=@/does/not/exist', 2],
    ['call fake.echo_all text=@.', 2],
    ['call fake.echo_all text=- anything=-', 2],
    ['call wait', 2],
    ['tools -k 0', 2],
    ['tools -k x', 2],
    ['tools one two', 2],
    ['tools --nope', 2],
    ['--set novalue tools', 2],
    ['--home', 2],
    ['--debug', 2],
    ['cal', 2],
    ['hello', 2],
    ['hello?', 0],
    ['--root . hello?', 0],
    ['config nonsense', 2],
    ['trace missing', 2],
    ['audit nonsense', 2],
    ['audit list --format ocsf', 2],
    ['audit export --format xml', 2],
    ['audit export --after x', 2],
    ['prompts fake.greet whom=me', 2],
    ['prompts nothing', 2],
    ['mcp --compact --all', 2],
    ['servers', 0],
    ['servers list', 0],
    ['servers list fake', 2],
    ['servers nonsense', 2],
    ['servers add', 2],
    ['servers add x', 2],
    ['servers add x --url http://localhost -- npx', 2],
    ['servers add x --header nothing --url http://localhost', 2],
    ['servers remove', 2],
    ['servers remove a b', 2],
    ['servers remove a --url http://localhost', 2],
    ['servers list --project', 2],
    ['servers logs fake -n 0', 2],
    ['servers restart fake', 0],
    ['servers restart shared', 1],
    ['trust --yes --list', 2],
    ['import netscape', 2],
    ['import --from /does/not/exist', 2],
  ])('tutti %s ends with %i', async (line, expected) => {
    expect((await runMain(line.split(' ').filter(Boolean))).exitCode).toBe(expected);
  });

  it('is 1 when a check of the doctor failed', async () => {
    const failed = { name: 'database', status: 'failed', message: 'is broken' } as const;
    const { exitCode } = await runWith(
      (system) => ({ ...system, doctor: async () => [failed] }),
      ['doctor'],
    );
    expect(exitCode).toBe(1);
  });

  it('is 130 when the user cancels', async () => {
    const cancel = new AbortController();
    const ran = runMain(['call', 'fake.wait'], { io: { signal: cancel.signal } });
    setImmediate(() => cancel.abort(new Error('interrupted')));
    const { exitCode, stderr, stdout, seen } = await ran;
    expect([exitCode, stdout]).toEqual([130, '']);
    expect(stderr).toContain('Cancelled');
    expect(seen.closed).toBe(1);
  });
});

describe('help', () => {
  it('says what tutti does without a command', async () => {
    const { stdout } = await runMain(['--help']);
    expect(stdout).toContain('tutti alone starts a chat');
  });

  it('is what tutti alone prints, with exit codes and examples', async () => {
    const { stdout, stderr } = await runMain([]);
    expect(stdout).toContain('Usage: tutti');
    expect(stdout).toContain('130 cancelled');
    expect(stdout).toContain('Examples:');
    expect(stderr).toBe('');
  });

  it.each(commands.map(({ name }) => [name]))('of %s shows examples', async (name) => {
    const { stdout, exitCode } = await runMain([name, '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`Examples:\n +(?:\\S+ )*tutti .*${name}`));
  });

  it('needs no system', async () => {
    const compose = () => Promise.reject(new Error('was opened'));
    for (const argv of [['--help'], ['--version'], ['call', '--help'], []]) {
      expect((await runMain(argv, { io: { compose } })).exitCode).toBe(0);
    }
  });

  it('goes to stderr when only flags were given', async () => {
    const { stdout, stderr } = await runMain(['--debug']);
    expect(stdout).toBe('');
    expect(stderr).toContain('Usage: tutti');
  });
});

describe('the other commands', () => {
  it.each([
    ['resources', 'fake://one  The one.\nfake://{x}  Any\n'],
    ['resources fake://one', 'text of fake://one\n'],
    ['resources fake://blob', '[fake://blob: image/png, 4 base64 characters: use --json]\n'],
    ['prompts', 'fake.greet  who=… [how=…]  Greets somebody.\n'],
    ['prompts fake.greet who=Ada', '[user]\nGreet Ada\n'],
    ['prompts fake__greet who=Ada', '[user]\nGreet Ada\n'],
    ['config server.port', 'server.port  8004  default\n'],
    ['config server.auth_token', 'server.auth_token  (not set)  default\n'],
    ['doctor', 'ok       database: is sound\nwarning  rustfmt: is missing\n         install it\n'],
    ['trace abc', 'tree of 1\n'],
    [
      'audit --refused',
      '2  2026-01-01T00:00:00.000Z  local  cli  refused  tools.call  code.echo_all  fleet.tool_quarantined\n',
    ],
    ['audit export --after 1 --format ocsf', '{"class_uid":6003,"metadata":{"uid":"2"}}\n'],
    ['audit verify', `The audit log is intact: 2 entries. Last: 2:${'ab'.repeat(32)}\n`],
    ['trace -k 1', 'abc1  1970-01-01T00:00:00.000Z  1.5 ms  ok  call\n'],
  ])('tutti %s', async (line, text) => {
    const { stdout, exitCode } = await runMain(line.split(' '));
    expect(stdout).toBe(text);
    expect(exitCode).toBe(0);
  });

  it('verifies against a digest that was noted elsewhere', async () => {
    const expect1 = (digest: string) => runMain(['audit', 'verify', '--expect', `1:${digest}`]);
    expect((await expect1('ab'.repeat(32))).exitCode).toBe(0);
    const { stdout, exitCode } = await expect1('cd'.repeat(32));
    expect(stdout).toContain('entry 1 does not have the expected digest');
    expect(exitCode).toBe(1);
  });

  it('prints traces that failed as such, and of a run how it ended', async () => {
    const { stdout } = await runMain(['trace']);
    expect(stdout).toMatch(/abc2 .* failed +call/);
    // Something in it failed, and it did not.
    expect(stdout).toMatch(/abc3 .* 1 error +call/);
    expect(stdout).toMatch(/abc4 .* succeeded +call/);
  });

  it('backs up to a file below the current folder, and overwrites only by force', async () => {
    const { seen } = await runMain(['backup'], { io: { cwd: '/somewhere' } });
    expect(seen.backups[0]?.target).toMatch(/^\/somewhere\/tutti-backup-[\dTZ-]+\.db$/);
    expect(seen.backups[0]?.force).toBe(false);
    const forced = await runMain(['backup', 'x/y.db', '--force'], { io: { cwd: '/somewhere' } });
    expect(forced.seen.backups).toEqual([{ target: '/somewhere/x/y.db', force: true }]);
    expect(forced.stdout).toBe('The database was copied to /somewhere/x/y.db (4096 bytes)\n');
  });

  it('speaks MCP on the streams until the input ends, and nothing else on stdout', async () => {
    const { stdout, seen, exitCode } = await runMain(['mcp', '--only', 'a, b,'], {
      stdin: 'hello',
    });
    expect([stdout, exitCode]).toEqual(['served hello', 0]);
    expect(seen.options[0]).toMatchObject({ only: ['a', 'b'] });
    expect(seen.closed).toBe(1);
  });

  it.each([
    ['mcp', 'auto'],
    ['mcp --compact', 'compact'],
    ['mcp --all', 'all'],
  ])('%s shows clients %s tools', async (line, face) => {
    const { seen } = await runMain(line.split(' '));
    expect(seen.options[0]?.face).toBe(face);
  });

  it('speaks MCP until it is told to stop', async () => {
    const stop = new AbortController();
    const stdin = new PassThrough();
    const running = runMain(['mcp'], { io: { stdin, signal: stop.signal } });
    stdin.write('hello');
    await vi.waitFor(() => expect(stdin.readableFlowing).toBe(true));
    stop.abort();
    const { exitCode, stdout, seen } = await running;
    expect([exitCode, stdout, seen.closed]).toEqual([0, 'served hello', 1]);
  });

  it('serve --compact shows clients compact tools', async () => {
    const { seen } = await runMain(['serve', '--compact'], { io: { signal: AbortSignal.abort() } });
    expect(seen.options[0]?.face).toBe('compact');
  });

  it('serves until it is told to stop, and says where first', async () => {
    const stop = new AbortController();
    const running = runMain(['serve', '--port', '0', '--host', '::1'], {
      io: { signal: stop.signal },
    });
    setImmediate(() => stop.abort());
    const { stdout, exitCode, seen } = await running;
    expect([stdout, exitCode]).toEqual(['listening on http://127.0.0.1:1234\n', 0]);
    expect(seen.options[0]?.flags).toEqual({ 'server.host': '::1', 'server.port': '0' });
    expect(seen.options[0]?.log).toBeUndefined();
    expect([seen.listenersClosed, seen.closed]).toEqual([1, 1]);
  });
});

describe('global flags', () => {
  it('become settings, before or after the command', async () => {
    const line =
      '--home h tools --root a --root b --log-level warn --set server.port=1 --set a.b=c=d';
    const { seen } = await runMain(line.split(' '), { io: { cwd: '/c', env: { X: '1' } } });
    expect(seen.options).toMatchObject([
      {
        cwd: '/c',
        env: { X: '1' },
        flags: {
          home: 'h',
          roots: ['a', 'b'],
          'logging.level': 'warn',
          'server.port': '1',
          'a.b': 'c=d',
        },
      },
    ]);
  });

  it('print warnings about settings to stderr', async () => {
    expect((await runMain(['tools', 'code'])).stderr).toContain('warning: TUTTI_X sets nothing\n');
    expect((await runMain(['config'])).stderr).toBe('warning: TUTTI_X sets nothing\n');
  });
});

describe('colours', () => {
  const escape = '\u001B[';
  it.each([
    ['a terminal', true, {}, true],
    ['a pipe', false, {}, false],
    ['a terminal with NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['a dumb terminal', true, { TERM: 'dumb' }, false],
  ])('for %s', async (_name, isTTY, env, hasColours) => {
    const { stdout } = await runMain(['doctor'], { isTTY, io: { env } });
    expect(stdout.includes(escape)).toBe(hasColours);
  });
});
