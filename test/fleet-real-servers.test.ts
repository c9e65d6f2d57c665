import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { haveRealServers, knownCalls, realServerEntries } from './support/real-servers.ts';
import { aFolder, program, runTutti, serveTutti } from './support/run-tutti.ts';
import { isCi } from '../testkit/sample.ts';

const others = ['commands', 'context7', 'everything', 'filesystem', 'memory', 'sqlite', 'thinking'];
const limitMs = 120_000;

/** A folder whose user settings name every server of others. */
function aFleet(): { folder: string; env: Record<string, string> } {
  const folder = aFolder();
  mkdirSync(join(folder, 'config', 'tutti'), { recursive: true });
  const settings = { mcpServers: realServerEntries(folder) };
  writeFileSync(join(folder, 'config', 'tutti', 'config.yaml'), JSON.stringify(settings));
  return { folder, env: { XDG_CONFIG_HOME: join(folder, 'config') } };
}

async function stdio(): Promise<{ folder: string; transport: Transport }> {
  const { folder, env } = aFleet();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', '--all'],
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      TUTTI_HOME: join(folder, 'data'),
      ...env,
    },
  });
  return { folder, transport };
}

async function http(): Promise<{ folder: string; transport: Transport }> {
  const { folder, env } = aFleet();
  const { url, headers } = await serveTutti({ cwd: folder, env });
  const requestInit = { headers };
  return {
    folder,
    transport: new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }),
  };
}

async function connect(
  transport: Transport,
  mode: 'legacy' | 'auto',
  root = tmpdir(),
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode },
      capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
    },
  );
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept',
    content: { name: 'Ada', check: true, color: 'Red', integer: 1, number: 1 },
  }));
  client.setRequestHandler('sampling/createMessage', async () => ({
    role: 'assistant',
    content: { type: 'text', text: 'sampled words' },
    model: 'a test',
  }));
  client.setRequestHandler('roots/list', async () => ({
    roots: [{ uri: pathToFileURL(root).href, name: 'root of the test' }],
  }));
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

// `make test` installs the servers of others; `npm test` alone does without.
describe.skipIf(!haveRealServers && !isCi)('servers of others, all in one fleet', () => {
  it(
    'are all ready, and the list of their tools is the same bytes in every run',
    async () => {
      const { folder, env } = aFleet();
      const run = (argv: readonly string[]) => runTutti(argv, { cwd: folder, env });
      const servers = await run(['servers', '--json']);
      const states = JSON.parse(servers.stdout) as { name: string; state: string }[];
      expect(states.filter((it) => it.state !== 'ready')).toEqual([]);
      expect(states.map((it) => it.name)).toEqual(expect.arrayContaining(others));
      const first = await run(['tools', '--json']);
      const second = await run(['tools', '--json']);
      expect(second.stdout).toBe(first.stdout);
    },
    limitMs,
  );

  it.each([
    ['stdio, 2025-11-25', stdio, 'legacy'],
    ['stdio, 2026-07-28', stdio, 'auto'],
    ['HTTP, 2025-11-25', http, 'legacy'],
    ['HTTP, 2026-07-28', http, 'auto'],
  ] as const)(
    'answer a call of every tool that needs no internet, over %s',
    async (_name, reach, mode) => {
      const { folder, transport } = await reach();
      const client = await connect(transport, mode, join(folder, 'files'));
      await expect
        .poll(async () => serversOf((await client.listTools()).tools), { timeout: 30_000 })
        .toEqual(expect.arrayContaining(others));
      const failures: string[] = [];
      for (const { tool, args, holds } of knownCalls(folder)) {
        const result = await client.callTool({ name: tool, arguments: args });
        const text = JSON.stringify(result.content);
        if (result.isError || !text.includes(holds))
          failures.push(`${tool}: ${text.slice(0, 300)}`);
      }
      expect(failures).toEqual([]);
      const offline = await client.callTool({
        name: 'context7__resolve-library-id',
        arguments: { query: 'how to render', libraryName: 'react' },
      });
      expect(JSON.stringify(offline.content)).toMatch(/fetch failed|network|offline|unreachable/i);
    },
    limitMs,
  );
});

function serversOf(tools: readonly { readonly name: string }[]): string[] {
  return [...new Set(tools.map((tool) => tool.name.split('__', 1)[0] ?? ''))];
}
