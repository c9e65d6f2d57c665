import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadSettings } from './load-settings.ts';
import { listSettings } from './setting.ts';
import { aProject } from '../../testkit/config/folders.ts';

const projectFile = 'home/project/tutti.yaml';
const userFile = 'home/.config/tutti/config.yaml';

describe('where settings come from', () => {
  it('has a default for everything, so that no file is needed', async () => {
    const { base, options } = aProject();
    const { values, files } = await loadSettings(options);
    expect(files).toEqual([]);
    expect(values.home).toBe(join(base, 'home/.local/share/tutti'));
    expect(values.logging.file).toBe(join(base, 'home/.local/share/tutti/logs/tutti.log'));
    expect(values.roots).toEqual([join(base, 'home/project')]);
    expect(values.server).toMatchObject({ host: '127.0.0.1', port: 8004 });
    expect(values.performance).toMatchObject({ max_concurrent_requests: 5, timeout_seconds: 60 });
    expect(values.tools.code_review.max_issues).toBe(50);
    expect(values.mcpServers).toEqual({});
  });

  it('takes flags over variables over the project over the user over defaults', async () => {
    const { options } = aProject({
      [projectFile]: 'tools: {format: {line_length: 30}}\nperformance: {timeout_seconds: 3}',
      [userFile]:
        'tools: {format: {line_length: 40}, code_review: {max_issues: 4}}\nperformance: {timeout_seconds: 4}',
    });
    const loaded = await loadSettings({
      ...options,
      flags: { 'tools.enabled': 'flag' },
      env: { TUTTI_TOOLS_ENABLED: 'variable', TUTTI_PERFORMANCE_TIMEOUT_SECONDS: '2.5' },
    });
    expect(loaded.values.tools).toMatchObject({
      enabled: ['flag'],
      format: { line_length: 30 },
      code_review: { max_issues: 4 },
    });
    expect(loaded.values.performance.timeout_seconds).toBe(2.5);
    const sources = Object.fromEntries(loaded.describe().map((row) => [row.key, row.source]));
    expect(sources['tools.enabled']).toBe('flag');
    expect(sources['performance.timeout_seconds']).toBe('env TUTTI_PERFORMANCE_TIMEOUT_SECONDS');
    expect(sources['tools.format.line_length']).toBe(`${loaded.files[0]}:1`);
    expect(sources['tools.code_review.max_issues']).toBe(`${loaded.files[1]}:1`);
    expect(sources['server.allowed_hosts']).toBe('default');
  });

  it('adds the MCP servers of all sources together, the strongest entry winning', async () => {
    const { options } = aProject({
      [projectFile]: 'mcpServers: {both: {command: project}, mine: {command: a}}',
      [userFile]: 'mcpServers:\n  both: {command: user}\n  yours: {url: "http://localhost:1/mcp"}',
    });
    const { values, sources } = await loadSettings(options);
    expect(Object.keys(values.mcpServers).sort()).toEqual(['both', 'mine', 'yours']);
    expect(values.mcpServers['both']?.command).toBe('project');
    expect(sources.get('mcpServers.yours')).toMatchObject({ kind: 'user', line: 3 });
  });

  it('keeps keys of other MCP clients that mean nothing to it', async () => {
    const { options } = aProject({
      [projectFile]: 'mcpServers: {a: {command: x, alwaysAllow: [y], icon: z}}',
    });
    const { values } = await loadSettings(options);
    expect(values.mcpServers['a']).toMatchObject({ alwaysAllow: ['y'], icon: 'z' });
  });

  it('understands the variables other programs use for the same things', async () => {
    const { options } = aProject();
    const { values } = await loadSettings({
      ...options,
      env: {
        STARCODER_ENDPOINT: 'http://localhost:8000',
        MISTRAL_ENDPOINT: 'http://localhost:8001',
        MODEL_TIMEOUT_SECONDS: '7',
        MCP_DATABASE_URL: 'postgres://u:p@h/d',
        MCP_REDIS_URL: 'redis://h',
        MCP_SECRET_KEY: 's',
        OPENAI_API_KEY: 'weak',
        MCP_OPENAI_API_KEY: 'strong',
        ANTHROPIC_API_KEY: 'a',
      },
    });
    expect(values.models).toMatchObject({
      code_endpoint: 'http://localhost:8000',
      agent_endpoint: 'http://localhost:8001',
      timeout_seconds: 7,
    });
    expect(values.models.openai_api_key?.reveal()).toBe('strong');
    expect(values.models.anthropic_api_key?.reveal()).toBe('a');
    expect(values.database_url?.reveal()).toBe('postgres://u:p@h/d');
    expect(values.redis_url?.reveal()).toBe('redis://h');
    expect(values.secret_key?.reveal()).toBe('s');
  });

  it('gives every setting a variable of its own', () => {
    const names = listSettings().flatMap((setting) => setting.variables);
    expect(names.length).toBeGreaterThan(40);
    expect(new Set(names).size).toBe(names.length);
  });

  it('counts an empty variable as not set', async () => {
    const { options } = aProject();
    const { values } = await loadSettings({ ...options, env: { TUTTI_SERVER_PORT: '' } });
    expect(values.server.port).toBe(8004);
  });

  it('warns of a TUTTI_ variable that sets nothing and says which was meant', async () => {
    const { options } = aProject();
    const env = { TUTTI_SERVER__PORT: '1', TUTTI_PROOF: '1', TUTTI_ZZZZZZZZZZZZ: '' };
    const { warnings } = await loadSettings({ ...options, env });
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain('Did you mean TUTTI_SERVER_PORT?');
    expect(warnings[1]).toMatch(/TUTTI_ZZZZZZZZZZZZ sets nothing: there is no such setting$/);
  });
});

describe('how texts become values', () => {
  it.each([
    ['server.port', ' 99 ', 99],
    ['models.temperature', '1e-1', 0.1],
    ['tracing.enabled', 'OFF', false],
    ['tracing.enabled', '1', true],
    ['logging.level', 'WARN', 'warn'],
    ['tools.enabled', 'a, b,,c', ['a', 'b', 'c']],
    ['tools.enabled', '', []],
    ['tools.enabled', '["a,b"]', ['a,b']],
    ['tools.code_review.severity_levels', 'Critical,INFO', ['critical', 'info']],
    ['server.name', ' spaces stay ', ' spaces stay '],
    ['tools.enabled', ['x'], ['x']],
  ])('%s=%j', async (key, text, value) => {
    const { options } = aProject();
    const loaded = await loadSettings({ ...options, flags: { [key]: text } });
    expect(loaded.describe().find((row) => row.key === key)?.value).toEqual(value);
  });

  it('reads a map as name=value pairs or as JSON', async () => {
    const { options } = aProject();
    const read = async (text: string) => {
      const flags = { 'tracing.otlp_headers': text };
      const { values } = await loadSettings({ ...options, flags });
      const headers = Object.entries(values.tracing.otlp_headers);
      return headers.map(([name, secret]) => [name, secret.reveal()]);
    };
    expect(await read('a=1, b=x=y')).toEqual([
      ['a', '1'],
      ['b', 'x=y'],
    ]);
    expect(await read('{"a": "1"}')).toEqual([['a', '1']]);
    expect(await read('')).toEqual([]);
  });

  it('takes MCP servers from a variable as JSON', async () => {
    const { options } = aProject();
    const env = { TUTTI_MCP_SERVERS: '{"a": {"command": "x"}}' };
    const { values, sources } = await loadSettings({ ...options, env });
    expect(values.mcpServers['a']?.command).toBe('x');
    expect(sources.get('mcpServers.a')).toEqual({ kind: 'env', name: 'TUTTI_MCP_SERVERS' });
  });

  it('accepts choices in any case in a file', async () => {
    const { options } = aProject({ [projectFile]: 'logging: {level: INFO}' });
    expect((await loadSettings(options)).values.logging.level).toBe('info');
  });
});

describe('paths', () => {
  it('start at the file that names them, ~ at the home directory, flags at the current folder', async () => {
    const { base, options } = aProject({
      [projectFile]: 'roots: [., sub, ~/project/x]\nmcpServers: {a: {command: x, cwd: sub}}',
    });
    const cwd = join(base, 'home/project/deep');
    mkdirSync(cwd);
    const { values } = await loadSettings({ ...options, cwd, flags: { home: 'data' } });
    expect(values.home).toBe(join(cwd, 'data'));
    expect(values.roots).toEqual(
      ['home/project', 'home/project/sub', 'home/project/x'].map((path) => join(base, path)),
    );
    expect(values.mcpServers['a']?.cwd).toBe(join(base, 'home/project/sub'));
  });

  it.each([
    ['linux', {}, '/h/.local/share/tutti'],
    ['linux', { XDG_DATA_HOME: '/x' }, '/x/tutti'],
    ['linux', { XDG_DATA_HOME: 'relative' }, '/h/.local/share/tutti'],
    ['darwin', {}, '/h/Library/Application Support/tutti'],
    ['win32', {}, '\\h\\AppData\\Local\\tutti'],
    ['win32', { LOCALAPPDATA: 'C:\\L' }, 'C:\\L\\tutti'],
  ] as const)('on %s with %j data lives in %s', async (platform, env, home) => {
    const { values } = await loadSettings({
      flags: {},
      env,
      cwd: '/h/p',
      homeDirectory: '/h',
      platform,
    });
    expect(values.home).toBe(home);
  });

  it('finds the user file where XDG says', async () => {
    const { base, options } = aProject({ 'xdg/tutti/config.yaml': 'server: {port: 5}' });
    const env = { XDG_CONFIG_HOME: join(base, 'xdg') };
    expect((await loadSettings({ ...options, env })).values.server.port).toBe(5);
  });
});

describe('the search for tutti.yaml', () => {
  it('goes up to the nearest one', async () => {
    const { base, options } = aProject({
      [projectFile]: 'performance: {timeout_seconds: 5}',
      'home/project/a/b/.keep': '',
    });
    const cwd = join(base, 'home/project/a/b');
    expect((await loadSettings({ ...options, cwd })).values.performance.timeout_seconds).toBe(5);
  });

  it('ends at the top of a git work tree', async () => {
    const { base, options } = aProject({
      [projectFile]: 'performance: {timeout_seconds: 5}',
      'home/project/repo/.git/HEAD': '',
      'home/project/repo/src/.keep': '',
    });
    const cwd = join(base, 'home/project/repo/src');
    expect((await loadSettings({ ...options, cwd })).values.performance.timeout_seconds).toBe(60);
  });

  it('ends below the home directory, whose file counts only there', async () => {
    const { base, options } = aProject({ 'home/tutti.yaml': 'performance: {timeout_seconds: 5}' });
    expect((await loadSettings(options)).values.performance.timeout_seconds).toBe(60);
    const cwd = join(base, 'home');
    expect((await loadSettings({ ...options, cwd })).values.performance.timeout_seconds).toBe(5);
  });
});

describe('secrets', () => {
  const secrets = [
    'tok-1',
    'pw-2',
    'key-3',
    'env-4',
    'head-5',
    'arg-6',
    'arg-7',
    'query-8',
    'x-9',
    'name-10',
  ];
  const text = `
server: {auth_token: tok-1}
database_url: postgres://user:pw-2@host/db
models: {openai_api_key: key-3}
tracing: {otlp_headers: {authorization: head-5}}
mcpServers:
  a:
    command: x
    args: [--token=arg-6, --api-key, arg-7, --verbose, plain, postgres://u:pw-2@h/db, --db=pg://u:pw-2@h]
    env: {TOKEN: env-4, EMPTY: ""}
    extra: x-9
  c: {url: "https://name-10@h/mcp?sig=query-8"}
  b: {url: "https://u:pw-2@h/mcp?api_key=query-8&page=2", headers: {Authorization: head-5}}
`;

  it('are in no setting that is shown', async () => {
    const { options } = aProject({ [userFile]: text });
    const shown = JSON.stringify((await loadSettings(options)).describe());
    for (const secret of secrets) expect(shown).not.toContain(secret);
    expect(shown).toContain('postgres://user:[hidden]@host/db');
    expect(shown).toContain('https://u:[hidden]@h/mcp?api_key=[hidden]&page=2');
    expect(shown).toContain(
      '"--token=[hidden]","--api-key","[hidden]","--verbose","plain","postgres://u:[hidden]@h/db"',
    );
  });

  it('do not come out when loaded values are printed, and do when they are asked for', async () => {
    const { options } = aProject({ [userFile]: text });
    const { values } = await loadSettings(options);
    const { server, tracing, database_url, models } = values;
    const printed = `${JSON.stringify({ server, tracing, database_url, models })}${inspect(values.mcpServers['a']?.env)}`;
    for (const secret of ['tok-1', 'pw-2', 'key-3', 'head-5', 'env-4']) {
      expect(printed).not.toContain(secret);
    }
    expect(values.mcpServers['a']?.env?.['TOKEN']?.reveal()).toBe('env-4');
  });

  it('shows an address whole when nothing in it is secret', async () => {
    const { options } = aProject();
    const env = { TUTTI_DATABASE_URL: 'postgres://host/db', MCP_REDIS_URL: 'no address' };
    const rows = (await loadSettings({ ...options, env })).describe();
    expect(rows.find((row) => row.key === 'database_url')?.value).toBe('postgres://host/db');
    expect(rows.find((row) => row.key === 'redis_url')?.value).toBe('[hidden]');
  });
});
