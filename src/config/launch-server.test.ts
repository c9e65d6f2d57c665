import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import inherited from './inherited-variables.json' with { type: 'json' };
import { sealServer } from './define-servers.ts';
import { launchServer } from './launch-server.ts';
import { loadSettings } from './load-settings.ts';
import { aProject } from '../../testkit/config/folders.ts';

const around = {
  env: { TOKEN: 'hunter2', EMPTY: '', HOME: '/home/ada', PATH: '/bin', AWS_SECRET: 'no' },
  cwd: '/work',
  homeDirectory: '/home/ada',
  platform: 'linux',
} as const;

describe('a program', () => {
  it('gets what its entry names and a few variables every program needs, and no others', async () => {
    const settings = sealServer({
      command: '${HOME}/bin/x',
      args: ['--key', '${env:TOKEN}', '$${literal}', 'plain $TOKEN'],
      env: { A: 'Bearer ${TOKEN}', B: '${MISSING:-otherwise}', C: '${EMPTY:-}', D: '' },
      cwd: '${HOME}',
    });
    expect(await launchServer('x', settings, around)).toEqual({
      transport: 'stdio',
      command: '/home/ada/bin/x',
      args: ['--key', 'hunter2', '${literal}', 'plain $TOKEN'],
      cwd: '/home/ada',
      env: { HOME: '/home/ada', PATH: '/bin', A: 'Bearer hunter2', B: 'otherwise', C: '', D: '' },
    });
  });

  it.each(['toString', 'hasOwnProperty', 'constructor'])(
    'takes no %s for a variable that is set',
    async (name) => {
      const settings = sealServer({ command: 'x', args: [`\${${name}}`] });
      await expect(launchServer('x', settings, around)).rejects.toThrow(
        `the environment variable ${name} is not set`,
      );
    },
  );

  it('starts in the home directory when its entry names none, never in a project that nobody trusts', async () => {
    const launch = await launchServer('x', sealServer({ command: 'x' }), around);
    expect(launch).toMatchObject({ cwd: '/home/ada', args: [] });
  });

  it('starts in the folder of the project that names it', async () => {
    const { base, options } = aProject({
      'home/project/tutti.yaml': 'mcpServers: {x: {command: x}, y: {command: y, cwd: sub}}',
    });
    const { servers } = await loadSettings(options);
    expect(servers.map(({ settings }) => settings.cwd)).toEqual([
      join(base, 'home/project'),
      join(base, 'home/project/sub'),
    ]);
  });

  it('gets the variables of Windows however they are written', async () => {
    const env = { Path: 'C:\\', SystemRoot: 'C:\\Windows', Secret: 'no' };
    const windows = { ...around, env, homeDirectory: 'C:\\ada', platform: 'win32' } as const;
    const launch = await launchServer('x', sealServer({ command: 'x' }), windows);
    expect(launch).toMatchObject({ cwd: 'C:\\ada' });
    expect('env' in launch && launch.env).toEqual({ Path: 'C:\\', SystemRoot: 'C:\\Windows' });
  });
});

describe('an address', () => {
  it.each([
    [undefined, 'http'],
    ['http', 'http'],
    ['streamable-http', 'http'],
    ['sse', 'sse'],
  ])('of type %s is reached over %s, with its headers', async (type, transport) => {
    const { base } = aProject({ 'secret.txt': 's3cret\n' });
    const settings = sealServer({
      ...(type !== undefined && { type }),
      url: 'https://${HOST:-example.org}/mcp',
      headers: { Authorization: `Bearer \${file:${base}/secret.txt}` },
    });
    expect(await launchServer('x', settings, around)).toEqual({
      transport,
      url: 'https://example.org/mcp',
      headers: { Authorization: 'Bearer s3cret' },
    });
  });

  it('that turns out to be none is refused without showing it', async () => {
    const settings = sealServer({ url: '${TOKEN}' });
    const failure = await launchServer('x', settings, around).catch(String);
    expect(failure).toContain('mcpServers.x.url: "${TOKEN}" could not be filled in');
    expect(failure).not.toContain('hunter2');
  });
});

describe('a reference that leads nowhere', () => {
  it.each([
    [
      { command: 'x', env: { KEY: '${NOPE}' } },
      'env.KEY',
      'the environment variable NOPE is not set',
    ],
    [{ command: 'x', env: { KEY: '${env:EMPTY}' } }, 'env.KEY', 'EMPTY is not set'],
    [{ command: 'x', args: ['a', '${input:key}'] }, 'args.1', 'neither a variable nor a file'],
    [{ command: '${a b}' }, 'command', 'write $${ where ${ itself is meant'],
    [{ url: 'http://x', headers: { H: '${file:/not/there}' } }, 'headers.H', 'no such file'],
    [{ url: 'http://x', headers: { H: '${file:/}' } }, 'headers.H', 'it is a folder'],
    [{ command: 'x', env: { KEY: '${file:/dev/zero}' } }, 'env.KEY', 'not a regular file'],
  ])('is named with its entry and its key: %j', async (entry, key, reason) => {
    await expect(launchServer('mine', sealServer(entry), around)).rejects.toMatchObject({
      code: 'config.unresolved_reference',
      message: expect.stringContaining(reason),
      details: { server: 'mine', key },
    });
  });

  it('may be in a file that is not text', async () => {
    const { base } = aProject({ binary: Uint8Array.of(0xff, 0xfe) });
    const settings = sealServer({ command: 'x', env: { A: `\${file:${base}/binary}` } });
    await expect(launchServer('x', settings, around)).rejects.toThrow('is not UTF-8 text');
  });
});

it('shows references in tutti config, and no value', async () => {
  const { options } = aProject({
    'home/.config/tutti/config.yaml':
      'mcpServers: {x: {url: "${MCP_URL}", headers: {A: "${env:TOKEN}", B: plain, C: "${T:-secret}"}}}',
  });
  const settings = await loadSettings({ ...options, env: { TOKEN: 'hunter2' } });
  expect(settings.describe().find(({ key }) => key === 'mcpServers.x')?.value).toEqual({
    url: '${MCP_URL}',
    headers: { A: '${env:TOKEN}', B: '[hidden]', C: '[hidden]' },
  });
});

describe('a value that cannot be used', () => {
  it.each([
    [{ command: 'x', env: { T: 'hunter2\0' } }, 'env.T'],
    [{ command: 'x', args: ['hunter2\0'] }, 'args.0'],
    [{ command: 'x', cwd: '/${TOKEN}\0' }, 'cwd'],
    [{ url: '${EMPTY:-no}/mcp?token=hunter2' }, 'url'],
    [{ url: 'http://h', headers: { A: '${MY-VAR:-hunter2}' } }, 'headers.A'],
  ])('is not shown by the error: %j', async (entry, key) => {
    const failure = await launchServer('x', sealServer(entry), around).catch(String);
    expect(failure).toContain(`mcpServers.x.${key}`);
    expect(failure).not.toContain('hunter2');
  });
});

it.each(Object.entries(inherited))('inherits no secrets: %s', (_platform, names) => {
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[A-Z][A-Z_]*$/);
  expect(names.filter((name) => /TOKEN|SECRET|PASS|KEY/.test(name))).toEqual([]);
});
