import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Tool } from '../src/contract/tool/index.ts';
import { LineClient } from './support/line-client.ts';
import { aFolder, runTutti, startTutti } from './support/run-tutti.ts';

const manyTools = new URL('support/servers/many-tools-server.ts', import.meta.url).pathname;
const toolCount = 1_000;
/** A tokenizer of models (o200k) makes 1,544 tokens of the 6,164 characters of this list. */
const charsPerToken = 4;
const timeoutMs = 60_000;

/** `tutti mcp` as a client starts it, in front of a server with a thousand tools. */
async function aClient(): Promise<LineClient> {
  const folder = aFolder();
  const mcpServers = {
    services: { command: process.execPath, args: [manyTools, String(toolCount)] },
  };
  mkdirSync(join(folder, '.config', 'tutti'), { recursive: true });
  writeFileSync(join(folder, '.config', 'tutti', 'config.yaml'), JSON.stringify({ mcpServers }));
  const client = new LineClient(startTutti(['mcp'], { cwd: folder }));
  await client.initialize();
  return client;
}

async function callAdmin(client: LineClient, tool: string, args: object) {
  const answer = await client.ask('tools/call', { name: `admin__${tool}`, arguments: args });
  return answer?.result as {
    readonly structuredContent: { readonly tools: readonly Tool[]; readonly total: number };
    readonly content: readonly { readonly text: string }[];
  };
}

it(
  'costs a model less than 2,000 tokens for a thousand tools, of which it finds and calls what it needs',
  { timeout: timeoutMs },
  async () => {
    const client = await aClient();
    const listAll = () => callAdmin(client, 'list_tools', { server: 'services' });
    // The server may take longer to start than the first listing waits.
    while ((await listAll()).structuredContent?.total !== toolCount) await setTimeout(100);
    const listed = await client.ask('tools/list');
    const tools = listed?.result?.['tools'] as readonly Tool[];
    expect(tools.map(({ name }) => name)).toEqual([
      'agent__ask',
      'admin__call_tool',
      'admin__find_tools',
      'admin__list_tools',
    ]);
    expect(JSON.stringify(listed?.result).length / charsPerToken).toBeLessThan(2_000);

    const query = 'refund a payment';
    const found = await callAdmin(client, 'find_tools', { query, k: 5 });
    const [best] = found.structuredContent.tools;
    expect(best?.name).toMatch(/payment/);
    const called = await callAdmin(client, 'call_tool', { name: best?.name, arguments: {} });
    expect(called.content[0]?.text).toContain(best?.name.replace(/^services\./, ''));
  },
);

it(
  'is announced by "tutti servers" only where clients get a short list',
  { timeout: timeoutMs },
  async () => {
    const folder = aFolder();
    const { stdout, stderr } = await runTutti(['servers', '--json'], { cwd: folder });
    const servers = JSON.parse(stdout) as { readonly tools: number; readonly isListed: boolean }[];
    const listed = servers.filter(({ isListed }) => isListed);
    const count = listed.reduce((sum, { tools }) => sum + tools, 0);
    const client = new LineClient(startTutti(['mcp'], { cwd: folder }));
    await client.initialize();
    const shown = await client.ask('tools/list');
    expect(shown?.result?.['tools']).toHaveLength(count);
    expect(stderr).not.toContain('short list');
  },
);
