import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aFolder, runTutti, type Ended } from './support/run-tutti.ts';

interface KnownClient {
  readonly file: string;
  readonly section: string;
  readonly before: string;
}

const commented = (section: string): string =>
  `\uFEFF// settings\r\n{\r\n    "theme": "dark", /* x */\r\n    "${section}": {\r\n        // one\r\n        "one": { "command": "one" }, // mine\r\n    },\r\n}\r\n`;
const json = (file: string, section = 'mcpServers'): KnownClient => ({
  file,
  section,
  before: commented(section),
});

/** Where each client keeps its own settings on Linux. */
const clients: Readonly<Record<string, KnownClient>> = {
  'claude-desktop': json('.config/Claude/claude_desktop_config.json'),
  'claude-code': json('.claude.json'),
  cursor: json('.cursor/mcp.json'),
  vscode: json('.config/Code/User/mcp.json', 'servers'),
  windsurf: json('.codeium/windsurf/mcp_config.json'),
  zed: json('.config/zed/settings.json', 'context_servers'),
  gemini: json('.gemini/settings.json'),
  codex: {
    file: '.codex/config.toml',
    section: 'mcp_servers',
    before: '# mine\r\nmodel = "m"\r\n\r\n[mcp_servers.one] # one\r\ncommand = "one"',
  },
};

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
}

function readEntry(path: string, section: string): Entry {
  const text = readFileSync(path, 'utf8').replace('\uFEFF', '');
  const settings: unknown = path.endsWith('.toml') ? parseToml(text) : parseJsonc(text);
  return (settings as Record<string, Record<string, Entry>>)[section]?.['tutti'] as Entry;
}

function aUser(): { home: string; shop: string; run: (line: string) => Promise<Ended> } {
  const home = aFolder();
  const shop = join(home, 'code', 'shop');
  mkdirSync(shop, { recursive: true });
  writeFileSync(join(shop, 'price.py'), 'def price( a,b ):return a+b\n');
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
  return { home, shop, run: (line) => runTutti(line.split(' '), { cwd: shop, env }) };
}

describe.skipIf(process.platform !== 'linux')('tutti connect', () => {
  it.each(Object.entries(clients))(
    'puts an entry into the settings of %s that starts anywhere, and takes it out to the byte',
    async (client, { file, section, before }) => {
      const { home, run } = aUser();
      const path = join(home, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, before);
      const connected = await run(`connect ${client} --yes --json`);
      expect(connected, connected.stderr).toMatchObject({ exitCode: 0 });
      expect(JSON.parse(connected.stdout)).toMatchObject({
        client,
        file: path,
        isWritten: true,
        check: { kind: 'works', tools: expect.any(Number) },
      });
      const { command, args } = readEntry(path, section);
      expect(await formatThrough(command, args)).toContain('def price(a, b):');
      expect((await run(`disconnect ${client} --yes`)).exitCode).toBe(0);
      expect(readFileSync(path, 'utf8')).toBe(before);
    },
  );

  it('lists the clients of the machine, and asks before it writes', async () => {
    const { home, shop, run } = aUser();
    mkdirSync(join(home, '.cursor'));
    expect((await run('connect')).stdout).toContain('tutti connect cursor');
    const shown = await run('connect cursor --scope project');
    expect(shown).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('+    "tutti": {'),
    });
    expect((await run('connect cursor --scope project --print')).exitCode).toBe(0);
    expect(() => readFileSync(join(shop, '.cursor/mcp.json'))).toThrow('ENOENT');
    expect((await run('connect cursor --scope project --yes')).exitCode).toBe(0);
    expect((await run('connect')).stdout).toContain(join(shop, '.cursor/mcp.json'));
    expect((await run('disconnect cursor --yes')).exitCode).toBe(0);
    expect(() => readFileSync(join(shop, '.cursor/mcp.json'))).toThrow('ENOENT');
    expect((await run('disconnect cursor')).stdout).toContain('is not connected');
  });

  it('says what is wrong with settings it cannot change', async () => {
    const { home, run } = aUser();
    writeFileSync(join(home, '.claude.json'), '{"mcpServers": {');
    const { exitCode, stderr } = await run('connect claude-code --yes');
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(
        '.claude.json was not changed: it is not valid JSON (line 1)',
      ),
    });
  });
});

/** Starts the entry with the official client, from a folder that is not the project's. */
async function formatThrough(command: string, args: readonly string[]): Promise<string> {
  const client = new Client({ name: 'editor', version: '1' });
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    cwd: '/',
    stderr: 'ignore',
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const result = await client.callTool({
    name: 'code__format_code',
    arguments: { path: 'price.py' },
  });
  return JSON.stringify(result);
}
