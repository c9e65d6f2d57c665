import { describe, expect, it } from 'vitest';
import { aPlace } from '../../../testkit/cli/a-place.ts';
import { runMain } from '../../../testkit/cli/run-main.ts';

describe('the list', () => {
  it('starts every server and says how each is doing, and what to do', async () => {
    const { stdout, stderr, seen } = await runMain(['servers']);
    expect(seen.startLimits).toHaveLength(1);
    expect(stdout).toContain('fake    ready       stdio  10 tools  pid 4711\n');
    expect(stdout).toMatch(/broken +failed .* no such file\n/);
    expect(stdout).toMatch(/new +untrusted .* allow it with "tutti trust"\n/);
    expect(stdout).toMatch(/off +disabled .* "tutti servers enable"\n/);
    expect(stdout).toMatch(
      /shaky +ready .* 2 restarts +sent 3 lines that are no JSON; suspicious: add \(hidden characters\)\n/,
    );
    expect(stdout).toMatch(
      /moved +ready .* 2 changed, 2 held back: wire_money \(description, annotations, asks for less care\), b \(.*: "tutti servers diff moved", "tutti servers accept moved"\n/,
    );
    expect(stderr).toMatch(/^\d\d tools: above 60, clients of "tutti mcp" get a short list/m);
    expect(stderr).toContain('note: fake.wait hides other.wait');
  });

  it('is an array of states for programs', async () => {
    const { stdout } = await runMain(['servers', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'fake', state: 'ready', transport: 'stdio', pid: 4711, tools: 10, restarts: 0 },
      { name: 'broken', state: 'failed', lastError: 'no such file' },
      {},
      {},
      {},
      { name: 'moved', changedTools: [{ tool: 'wire_money', isLessCareful: true }, {}] },
      {},
    ]);
  });

  it('is shorter once what changed was accepted', async () => {
    const accepted = await runMain(['servers', 'accept', 'moved']);
    expect(accepted.stdout).toBe(
      'accepted: wire_money (description, annotations, asks for less care)\n',
    );
    const nothing = await runMain(['servers', 'accept', 'fake']);
    expect([nothing.stdout, nothing.exitCode]).toEqual(['No tool of "fake" has changed.\n', 0]);
  });

  it('shows what changed line by line', async () => {
    const { stdout, stderr } = await runMain(['servers', 'diff', 'moved']);
    expect(stdout)
      .toBe(`wire_money (changed, held back, asks for less care, since 2026-01-01T00:00:00.000Z)
    description: Wires money.
  - Asks first.
  + All of it.
    inputSchema: {
      "type": "object"
    …
`);
    expect(stderr).toContain('tutti servers accept moved');
    expect((await runMain(['servers', 'diff', 'fake'])).stdout).toContain('No tool of "fake"');
  });

  it('starts none with --no-start', async () => {
    const { seen, exitCode } = await runMain(['servers', '--no-start']);
    expect([seen.startLimits, exitCode]).toEqual([[], 0]);
  });

  it('has colours on a terminal', async () => {
    const { stdout } = await runMain(['servers'], { isTTY: true });
    expect(stdout).toContain('\u001B[31mbroken');
    expect(stdout).toContain('\u001B[33mnew');
    expect(stdout).toContain('\u001B[2moff');
  });
});

describe('add', () => {
  it('writes a program with its arguments, and keeps every other byte of the file', async () => {
    const user =
      '# mine\nlogging: {level:   warn}   # quiet\nmcpServers:\n    old: {command: x} # old\n';
    const place = aPlace({ user });
    const { stdout, exitCode } = await place.run('servers add files -- npx -y server ~/notes');
    expect([stdout, exitCode]).toEqual([`"files" was added to ${place.userFile}\n`, 0]);
    expect(place.read(place.userFile)).toBe(
      `${user}    files:\n      command: npx\n      args:\n        - -y\n        - server\n        - ~/notes\n`,
    );
  });

  it('proposes a short prefix where the name is long and none is given', async () => {
    const place = aPlace();
    const add = (name: string, more = ''): Promise<{ stderr: string }> =>
      place.run(`servers add ${name}${more} -- npx x`);
    expect((await add('files')).stderr).not.toContain('prefix');
    expect((await add('awslabs-aws-documentation-mcp-server')).stderr).toContain(
      '"prefix: awslabs" in its entry makes that "awslabs__TOOL"',
    );
    expect((await add('another-name-that-is-long', ' --prefix other')).stderr).not.toContain(
      '"prefix',
    );
  });

  it('writes an address with headers and more into a file that was not there', async () => {
    const place = aPlace();
    const line = [
      ...'servers add docs --url https://example.org/mcp --type http --prefix d --timeout-ms 500 --trust-annotations'.split(
        ' ',
      ),
      '--header',
      'Authorization=Bearer ${env:TOKEN}',
      '--header',
      'X-Two=2',
      '--json',
    ];
    const { stdout } = await place.run(line);
    expect(JSON.parse(stdout)).toEqual({ name: 'docs', file: place.userFile, done: 'add' });
    expect(place.read(place.userFile)).toBe(`mcpServers:
  docs:
    type: http
    url: https://example.org/mcp
    headers:
      Authorization: Bearer \${env:TOKEN}
      X-Two: "2"
    prefix: d
    timeoutMs: 500
    trustAnnotations: true
`);
  });

  it('writes into the project with --project, and says that trust is needed', async () => {
    const place = aPlace();
    const { stderr } = await place.run('servers add files --project --env A=1 -- npx files');
    expect(place.read(place.projectFile)).toContain('command: npx');
    expect(stderr).toContain('It starts after "tutti trust".\n');
    expect(stderr).toContain('above 60 in all, clients of "tutti mcp" get a short list');
  });

  it.each([
    ['a name that is taken', 'servers add old -- npx', 'has a server of that name already'],
    [
      'what the schema refuses',
      'servers add a --type carrier -- npx',
      '"a" was not added. --type: expected one of',
    ],
    [
      'a wrong number',
      'servers add a --timeout-ms soon -- npx',
      '--timeout-ms: expected a whole number',
    ],
    [
      'no address',
      'servers add a --url ftp://x',
      '--url: expected an http or https address, found "ftp://x"',
    ],
    ['a name no tool could have', 'servers add a.b -- npx', 'a name has up to 64 letters'],
    ['words before --', 'servers add bad name -- npx foo', 'takes one name, and got "bad name"'],
    [
      'options of a command without --',
      'servers add x npx -y foo',
      'Put -- before the command of the server: tutti servers add x -- npx -y foo',
    ],
  ])('refuses %s and leaves the file alone', async (_what, line, message) => {
    const user = 'mcpServers: {old: {command: x}}\n';
    const place = aPlace({ user });
    const { stderr, exitCode } = await place.run(line);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/config\.yaml:\d/);
    expect([exitCode, place.read(place.userFile)]).toEqual([2, user]);
  });

  it('refuses a header written as HTTP has it, whose secret would become a name', async () => {
    const place = aPlace();
    const header = 'Authorization: Bearer hunter2==';
    const line = ['servers', 'add', 'a', '--url', 'https://h', '--header', header];
    const { stderr, exitCode } = await place.run(line);
    expect([exitCode, place.has(place.userFile)]).toEqual([2, false]);
    expect(stderr).not.toContain('hunter2');
  });

  it('never repeats a secret it was given', async () => {
    const place = aPlace();
    for (const value of ['TOKEN=hunter2secret', 'hunter2secret']) {
      const { stdout, stderr } = await place.run([
        'servers',
        'add',
        'a',
        '--env',
        value,
        '--',
        'x',
      ]);
      expect(stdout + stderr).not.toContain('hunter2secret');
    }
  });

  it('loses nothing when many add at once', async () => {
    const place = aPlace();
    const names = Array.from({ length: 12 }, (_, index) => `server${index}`);
    const ran = await Promise.all(names.map((name) => place.run(`servers add ${name} -- npx`)));
    expect(ran.map(({ exitCode }) => exitCode)).toEqual(names.map(() => 0));
    const text = place.read(place.userFile);
    for (const name of names) expect(text).toContain(`  ${name}:\n    command: npx\n`);
  });
});

describe('remove, enable and disable', () => {
  const user = 'mcpServers:\n  # the first\n  a:\n    command: x # x\n  b: {command: y}\n# end\n';

  it.each([
    ['servers remove a', 'mcpServers:\n  # the first\n  b: {command: y}\n# end\n'],
    ['servers disable a', user.replace('# x\n', '# x\n    enabled: false\n')],
    ['servers disable b', user.replace('y}', 'y, enabled: false}')],
    ['servers enable a', user],
  ])('%s', async (line, expected) => {
    const place = aPlace({ user });
    expect((await place.run(line)).exitCode).toBe(0);
    expect(place.read(place.userFile).replace('"enabled"', 'enabled')).toBe(expected);
  });

  it('speak the language of the entry', async () => {
    const place = aPlace({
      user: 'mcpServers:\n  a: {command: x, disabled: true}\n  b:\n    command: y\n    enabled: false # off\n',
    });
    await place.run('servers enable a');
    await place.run('servers enable b');
    expect(place.read(place.userFile)).toBe(
      'mcpServers:\n  a: {command: x, disabled: false}\n  b:\n    command: y\n    enabled: true # off\n',
    );
    await place.run('servers disable a');
    expect(place.read(place.userFile)).toContain('disabled: true');
  });

  it('propose a name when there is none', async () => {
    const place = aPlace({ user: 'mcpServers: {github: {command: x}}' });
    const { stderr, exitCode } = await place.run('servers remove githb');
    expect(stderr).toContain('has no server of that name. Did you mean "github"?');
    expect(exitCode).toBe(2);
  });

  it('change nothing in a file that is broken, and say where', async () => {
    const place = aPlace({ project: 'mcpServers: {a: {command: 1}}\n' });
    const { stderr, exitCode } = await place.run('servers remove a --project');
    expect(stderr).toContain('tutti.yaml:1:27: mcpServers.a.command: expected text');
    expect(exitCode).toBe(2);
  });
});

describe('logs and restart', () => {
  it('show the latest lines of a server', async () => {
    expect((await runMain(['servers', 'logs', 'fake', '-n', '2'])).stdout).toBe('two\nthree\n');
    const silent = await runMain(['servers', 'logs', 'broken', '--json']);
    expect(JSON.parse(silent.stdout)).toEqual({ name: 'broken', lines: [] });
    expect(silent.stderr).toContain('"broken" wrote nothing to standard error');
  });

  it('say how many processes restarted it, and why others did not', async () => {
    const { stdout, stderr } = await runMain(['servers', 'restart', 'shared']);
    expect(stdout).toBe('1 of 2 running Tutti processes restarted "shared".\n');
    expect(stderr).toBe('process 2: it does not start\n');
  });

  it('say that nothing runs, or that there is no such server', async () => {
    const place = aPlace({ user: 'mcpServers: {idle: {command: x}}' });
    expect((await place.run('servers restart idle')).stdout).toContain('No Tutti process runs');
    const { stderr, exitCode } = await place.run('servers restart idel');
    expect(stderr).toContain('There is no server "idel". Did you mean "idle"?');
    expect(exitCode).toBe(2);
  });
});
