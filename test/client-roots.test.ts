import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished, vi } from 'vitest';
import { aFolder, program, serveTutti } from './support/run-tutti.ts';

/** Two projects, and a folder that is neither, in which Tutti is started. */
function folders() {
  const base = aFolder();
  const [shop, blog, elsewhere] = ['shop', 'blog', 'elsewhere'].map((name) => join(base, name));
  for (const folder of [shop, blog, elsewhere]) {
    mkdirSync(folder ?? '');
    writeFileSync(join(folder ?? '', 'a.py'), `name = "${folder?.slice(base.length + 1)}"\n`);
  }
  return { base, shop: shop ?? '', blog: blog ?? '', elsewhere: elsewhere ?? '' };
}

function stdio(args: readonly string[], cwd: string, home: string): Transport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', '--home', home, ...args],
    cwd,
    stderr: 'ignore',
    env: { PATH: process.env['PATH'] ?? '', HOME: home },
  });
}

interface Editor {
  readonly client: Client;
  open: string[];
  asked: number;
}

async function anEditor(transport: Transport, open: string[]): Promise<Editor> {
  const client = new Client(
    { name: 'editor', version: '1' },
    { versionNegotiation: { mode: 'legacy' }, capabilities: { roots: { listChanged: true } } },
  );
  const editor = { client, open, asked: 0 };
  client.setRequestHandler('roots/list', async () => {
    editor.asked += 1;
    return { roots: editor.open.map((folder) => ({ uri: pathToFileURL(folder).href })) };
  });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return editor;
}

async function read(client: Client, path: string): Promise<string> {
  const [code, workspace] = await Promise.all([
    client.callTool({ name: 'code__format_code', arguments: { path } }),
    client.callTool({ name: 'workspace__read_file', arguments: { path } }),
  ]);
  const texts = [code, workspace].map((result) => JSON.stringify(result));
  const names = texts.map((text) => /name = ..(\w+)/.exec(text)?.[1] ?? 'refused');
  expect(new Set(names).size, texts.join('\n')).toBe(1);
  return names[0] ?? '';
}

it('reads the folders that a client on stdio has open, and follows when they change', async () => {
  const { base, shop, blog, elsewhere } = folders();
  const editor = await anEditor(stdio(['--all'], elsewhere, join(base, 'home')), [shop]);
  expect(await read(editor.client, 'a.py')).toBe('shop');
  expect(await read(editor.client, join(elsewhere, 'a.py'))).toBe('refused');
  editor.open = [blog];
  await editor.client.sendRootsListChanged();
  expect(await read(editor.client, 'a.py')).toBe('blog');
  expect(await read(editor.client, join(shop, 'a.py'))).toBe('refused');
  editor.open = [];
  await editor.client.sendRootsListChanged();
  expect(await read(editor.client, 'a.py')).toBe('elsewhere');
});

it('never asks when the user named roots', async () => {
  const { base, shop, blog, elsewhere } = folders();
  const transport = stdio(['--all', '--root', blog], elsewhere, join(base, 'home'));
  const editor = await anEditor(transport, [shop]);
  expect(await read(editor.client, 'a.py')).toBe('blog');
  expect(await read(editor.client, join(shop, 'a.py'))).toBe('refused');
  expect(editor.asked).toBe(0);
});

it('never asks a client on a network', async () => {
  const { shop, elsewhere } = folders();
  const { url, headers } = await serveTutti({ cwd: elsewhere });
  const requestInit = { headers };
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit });
  const editor = await anEditor(transport, [shop]);
  expect(await read(editor.client, join(shop, 'a.py'))).toBe('refused');
  await editor.client.sendRootsListChanged();
  expect(await read(editor.client, 'a.py')).toBe('elsewhere');
  expect(editor.asked).toBe(0);
});

const fileServer = new URL(
  'servers/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js',
  import.meta.url,
).pathname;

/** A configuration with the reference file server, which asks for roots when it starts and when they change. */
function withFileServer(base: string, entry: object): Readonly<Record<string, string>> {
  mkdirSync(join(base, 'tutti'));
  const files = { command: process.execPath, args: [fileServer], ...entry };
  const config = { mcpServers: { files, other: { ...files, lazy: true } } };
  writeFileSync(join(base, 'tutti', 'config.yaml'), JSON.stringify(config));
  return { XDG_CONFIG_HOME: base };
}

async function allowedFolders(client: Client, server: string): Promise<string> {
  const result = await client.callTool({ name: `${server}__list_allowed_directories` });
  return JSON.stringify(result.content);
}

it.each([
  ['on first use', {}],
  ['before the client is ready', { lazy: false }],
  ['with folders of its own', { args: [fileServer, '/usr'] }],
])('reach a server that asks for them at its start, started %s', async (_, entry) => {
  const { base, shop, blog, elsewhere } = folders();
  const env = withFileServer(base, entry);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', '--all', '--home', join(base, 'home')],
    cwd: elsewhere,
    stderr: 'ignore',
    env: { PATH: process.env['PATH'] ?? '', HOME: base, ...env },
  });
  const editor = await anEditor(transport, [shop]);
  const waitFor = (server: string, folder: string): Promise<void> =>
    vi.waitFor(async () => expect(await allowedFolders(editor.client, server)).toContain(folder), {
      timeout: 20_000,
      interval: 200,
    });
  for (const server of ['files', 'other']) await waitFor(server, shop);
  const read = { name: 'files__read_text_file', arguments: { path: join(shop, 'a.py') } };
  expect(JSON.stringify(await editor.client.callTool(read))).toContain('shop');
  editor.open = [blog];
  await editor.client.sendRootsListChanged();
  for (const server of ['files', 'other']) await waitFor(server, blog);
  expect((await editor.client.callTool(read)).isError).toBe(true);
});
