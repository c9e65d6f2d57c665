import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { unzipSync } from 'fflate';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

/** The package as it is packed from a checkout that was never built, installed into an empty folder as a user does. */

const checkout = fileURLToPath(new URL('..', import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'tutti-package-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const clone = join(base, 'clone');
const whyNot = install();
const root = join(base, 'node_modules/tutti');

/** Why there is nothing to test: without a network, npm may lack a package in its cache. */
function install(): string | undefined {
  copyUnbuilt();
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund'];
  execFileSync('npm', ['pack', ...quiet, '--pack-destination', base], {
    cwd: clone,
    stdio: 'pipe',
  });
  const tarball = readdirSync(base).find((name) => name.endsWith('.tgz')) ?? '';
  writeFileSync(join(base, 'package.json'), '{}');
  const { status, stderr } = spawnSync(
    'npm',
    ['install', ...quiet, '--ignore-scripts', '--prefer-offline', tarball],
    { cwd: base, encoding: 'utf8' },
  );
  if (status === 0) return undefined;
  const isOffline = /ENOTCACHED|EAI_AGAIN|ENOTFOUND|ECONN|ETIMEDOUT|ENETUNREACH/.test(stderr);
  if (!isOffline) throw new Error(`npm install failed: ${stderr}`);
  return 'npm cannot reach its registry';
}

/** The checkout without what is made in it; the dependencies are those that are installed. */
function copyUnbuilt(): void {
  const made = new Set(['.git', 'coverage', 'dist', 'dist-bundle', 'node_modules']);
  cpSync(checkout, clone, { recursive: true, filter: (path) => !made.has(basename(path)) });
  symlinkSync(join(checkout, 'node_modules'), join(clone, 'node_modules'));
}

const project = join(base, 'shop');
const env = { PATH: process.env['PATH'] ?? '', HOME: join(base, 'home') };

function tutti(...argv: string[]): { stdout: string; status: number | null; stderr: string } {
  mkdirSync(project, { recursive: true });
  mkdirSync(env.HOME, { recursive: true });
  writeFileSync(join(project, 'price.py'), 'def price(a,b):\n  return eval(a)+b\n');
  const program = join(base, 'node_modules/.bin/tutti');
  return spawnSync(program, argv, { cwd: project, env, encoding: 'utf8' });
}

/** Starts the installed server; gives its address. */
async function serve(): Promise<string> {
  for (const folder of [project, env.HOME]) mkdirSync(folder, { recursive: true });
  const program = join(root, 'bin/tutti.js');
  const server = spawn(process.execPath, [program, 'serve', '--port', '0'], { cwd: project, env });
  onTestFinished(() => void server.kill('SIGKILL'));
  const chunk = await new Promise<Buffer>((resolve) => server.stdout.once('data', resolve));
  return (chunk.toString().split('\n')[0] ?? '').replace('listening on ', '');
}

describe.skipIf(whyNot !== undefined)(`the installed package ${whyNot ?? ''}`, () => {
  it('says what it is, lists its tools and is in order', () => {
    expect(tutti('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Usage: tutti'),
    });
    expect(tutti('tools')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('code.review_code'),
    });
    const { status, stdout } = tutti('doctor', '--json');
    expect({ status, stdout }).toMatchObject({ status: 0 });
  });

  it('answers a first request and calls a tool', () => {
    expect(tutti('ask', 'review price.py', '--yes')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('eval'),
    });
    const { stdout } = tutti('call', 'code.review_code', 'path=price.py', '--json');
    expect(stdout).toContain('S307');
  });

  it('serves MCP on stdio and over HTTP', async () => {
    const args = [join(root, 'bin/tutti.js'), 'mcp', '--root', project];
    expect(await reviewThrough(process.execPath, args)).toContain('S307');
    const url = await serve();
    expect((await fetch(`${url}/health`)).ok).toBe(true);
    const post = { method: 'POST', body: '{}' };
    expect((await fetch(`${url}/mcp`, post)).status).toBe(401);
  });

  it('is a typed client of its server for other programs', async () => {
    const url = await serve();
    const token = readFileSync(join(env.HOME, '.local/share/tutti/serve-token'), 'utf8').trim();
    const asks = `
      import { connect, isClientError, type ListItem } from 'tutti/client';
      const [url = '', token = ''] = process.argv.slice(2);
      const client = connect({ url, token });
      const { status } = await client.call('getHealth', {});
      const tools: ListItem<'getTools'>[] = await client.all('getTools', {}, { limit: 3 });
      const failed = await client.call('getRunsById', { path: { id: 'none' } }).catch((error) => error);
      console.log(status, tools.length, isClientError(failed) && failed.code);`;
    writeFileSync(join(base, 'asks.mts'), asks);
    writeFileSync(join(base, 'wrong.mts'), asks.replace("'getHealth'", "'getHealt'"));
    const given = [url, token];
    const options = { cwd: base, encoding: 'utf8' } as const;
    const ran = spawnSync(process.execPath, ['asks.mts', ...given], options);
    expect([ran.stdout, ran.stderr]).toEqual(['ok 3 workflow.unknown_run\n', '']);
    const check = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
    const types = ['--types', 'node', '--typeRoots', join(checkout, 'node_modules/@types')];
    const tsc = join(checkout, 'node_modules/.bin/tsc');
    expect(spawnSync(tsc, [...check, ...types, 'asks.mts'], options).stdout).toBe('');
    expect(spawnSync(tsc, [...check, ...types, 'wrong.mts'], options).stdout).toContain('getHealt');
  });

  it('connects a client to itself', () => {
    const { status, stdout } = tutti('connect', 'cursor', '--yes', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      entry: { args: expect.arrayContaining([join(root, 'bin/tutti.js')]) },
      check: { kind: 'works' },
    });
    expect(tutti('disconnect', 'cursor', '--yes').status).toBe(0);
    expect(existsSync(join(env.HOME, '.cursor'))).toBe(false);
  });

  it('contains its documentation, and every link in it leads somewhere', () => {
    const broken = globSync('{README.md,docs/**/*.md}', { cwd: root }).flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\]\(([^)\s#:]+)(?:#[^)]*)?\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !existsSync(join(root, dirname(file), link)))
        .map((link) => `${file}: ${link}`),
    );
    expect(broken).toEqual([]);
    expect(existsSync(join(root, 'docs/connect-a-client.md'))).toBe(true);
  });

  it('is what a bundle for desktop clients starts', { timeout: 240_000 }, async () => {
    const script = join(checkout, 'scripts/bundle.ts');
    const to = join(base, 'bundle');
    execFileSync(process.execPath, [script, '--from', base, '--to', to], { cwd: checkout });
    const [name = ''] = readdirSync(to);
    expect(name).toMatch(/^tutti-[\d.]+-\w+-\w+\.mcpb$/);
    const unpacked = join(base, 'unpacked');
    for (const [path, bytes] of Object.entries(unzipSync(readFileSync(join(to, name))))) {
      mkdirSync(dirname(join(unpacked, path)), { recursive: true });
      writeFileSync(join(unpacked, path), bytes);
    }
    const { command, args, entry } = readManifest(unpacked);
    expect(existsSync(join(unpacked, entry))).toBe(true);
    expect(command).toBe('node');
    expect(await reviewThrough(process.execPath, args)).toContain('S307');
  });

  it(
    'would be published with its licence, without sources and tests',
    () => {
      const { status, stdout, stderr } = spawnSync(
        'npm',
        ['publish', '--dry-run', '--ignore-scripts', '--loglevel=notice'],
        {
          cwd: checkout,
          encoding: 'utf8',
        },
      );
      expect(status, stderr).toBe(0);
      expect(stdout).toContain('+ tutti@');
      const files = globSync('**', { cwd: root });
      expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'bin/tutti.js']));
      expect(
        files.filter((path) =>
          /^(?:src|test|scripts)\/|\.test\.|testdata|^\.\w|\.env(?!\.example$)/.test(path),
        ),
      ).toEqual([]);
    },
    publishLimitMs,
  );

  it('is packed without what make writes beside it', () => {
    writeFileSync(join(clone, 'dist/.built'), '');
    const argv = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const listed = execFileSync('npm', argv, { cwd: clone, encoding: 'utf8', stdio: 'pipe' });
    expect(listed).toContain('dist/cli/start.js');
    expect(listed).not.toContain('.built');
  });
});

/** npm asks its registry, which may be slow. */
const publishLimitMs = 240_000;

describe('a Node that is too old', () => {
  it('gets one sentence', () => {
    const text = readFileSync(join(checkout, 'bin/tutti.js'), 'utf8').replace(
      'process.versions.node.split',
      "'18.0.0'.split",
    );
    const old = join(base, 'old.cjs');
    writeFileSync(old, text);
    chmodSync(old, 0o755);
    const { status, stderr } = spawnSync(process.execPath, [old], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^tutti needs Node 24 or newer, and this is Node .*\n$/);
  });
});

/** What a client makes of the manifest once the user has chosen the project. */
function readManifest(folder: string): { command: string; args: string[]; entry: string } {
  const { server } = z
    .object({
      manifest_version: z.literal('0.3'),
      server: z.object({
        type: z.literal('node'),
        entry_point: z.string(),
        mcp_config: z.object({ command: z.string(), args: z.array(z.string()) }),
      }),
    })
    .parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  const filled = (text: string): string =>
    text.replace('${__dirname}', folder).replace('${user_config.project}', project);
  const { command, args } = server.mcp_config;
  return { command, args: args.map(filled), entry: server.entry_point };
}

async function reviewThrough(command: string, args: string[]): Promise<string> {
  const client = new Client({ name: 'desktop', version: '1' });
  await client.connect(
    new StdioClientTransport({ command, args, cwd: '/', env, stderr: 'ignore' }),
  );
  onTestFinished(() => client.close());
  const result = await client.callTool({
    name: 'code__review_code',
    arguments: { path: 'price.py' },
  });
  return JSON.stringify(result);
}
