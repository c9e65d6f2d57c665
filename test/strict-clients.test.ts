import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OlderHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { aFolder, program, serveTutti } from './support/run-tutti.ts';
import { isProof } from '../testkit/sample.ts';

const script = new URL('support/servers/sloppy-server.ts', import.meta.url).pathname;
const mixes = Array.from({ length: isProof ? 60 : 3 }, (_, index) => index + 1);
const limitMs = 60_000;

/** All a client may list, as far as it is needed here. */
interface Lister {
  close(): Promise<void>;
  listTools(): Promise<{ tools: readonly { name: string }[] }>;
  listPrompts(): Promise<{ prompts: readonly { name: string }[] }>;
  listResources(): Promise<{ resources: readonly { uri: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: readonly { uriTemplate: string }[] }>;
}

interface Program {
  readonly command: string;
  readonly args: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
}

/** A way to Tutti: an address, or a program to start. */
type Reach = Program | { readonly url: URL; readonly requestInit: RequestInit };

const info = { name: 'strict', version: '1' };

const clients = {
  'SDK 1': async (reach: Reach): Promise<Lister> => {
    const client = new OlderClient(info);
    if ('url' in reach) await client.connect(new OlderHttp(reach.url, reach));
    else await client.connect(new OlderStdio({ ...reach, stderr: 'ignore' }));
    return client;
  },
  'SDK 2, 2025-11-25': (reach: Reach) => newerClient(reach, 'legacy'),
  'SDK 2, 2026-07-28': (reach: Reach) => newerClient(reach, 'auto'),
};

async function newerClient(reach: Reach, mode: 'legacy' | 'auto'): Promise<Lister> {
  const client = new Client(info, { versionNegotiation: { mode } });
  const transport: Transport =
    'url' in reach
      ? new StreamableHTTPClientTransport(reach.url, reach)
      : new StdioClientTransport({ ...reach, stderr: 'ignore' });
  await client.connect(transport);
  return client;
}

/** A folder whose Tutti has three servers of this mix, one of them of the newer era. */
function aMix(mix: number): string {
  const folder = aFolder();
  mkdirSync(join(folder, 'tutti'));
  const entry = (...args: string[]): object => ({
    command: process.execPath,
    args: [script, ...args],
  });
  const mcpServers = {
    a: entry(String(mix * 3), '10'),
    b: entry(String(mix * 3 + 1), '12', 'stateless'),
    'c.long-name/with@signs': entry(String(mix * 3 + 2), '100'),
  };
  writeFileSync(join(folder, 'tutti', 'config.yaml'), JSON.stringify({ mcpServers }));
  return folder;
}

const faces = {
  mcp: (folder: string): Reach => pipe(folder, ['mcp', '--only', 'a,b']),
  'mcp --all': (folder: string): Reach => pipe(folder, ['mcp', '--all']),
  serve: async (folder: string): Promise<Reach> => {
    const env = { XDG_CONFIG_HOME: folder };
    const { url, headers } = await serveTutti({ cwd: folder, env });
    return { url: new URL('/mcp', url), requestInit: { headers } };
  },
};

function pipe(folder: string, argv: readonly string[]): Program {
  return {
    command: process.execPath,
    args: [program, ...argv],
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      TUTTI_HOME: join(folder, 'data'),
      XDG_CONFIG_HOME: folder,
    },
  };
}

/** Lists everything until the right entries of all servers are there. Throws what a client says that refuses a list. */
async function countRight(client: Lister, servers: number): Promise<number[]> {
  onTestFinished(() => client.close());
  const counts = await vi.waitFor(
    async () => {
      const { tools } = await client.listTools();
      const { prompts } = await client.listPrompts();
      const { resources } = await client.listResources();
      const { resourceTemplates } = await client.listResourceTemplates();
      const right = [
        tools.filter(({ name }) => /__right(?:_|$)/.test(name)),
        prompts.filter(({ name }) => /__right(?:_|$)/.test(name)),
        resources.filter(({ uri }) => uri.startsWith('right:')),
        resourceTemplates.filter(({ uriTemplate }) => uriTemplate.startsWith('right:')),
      ].map(({ length }) => length);
      if (right.some((count) => count < servers))
        throw new Error(`some are missing: ${right.join()}`);
      return right;
    },
    { timeout: limitMs, interval: 250 },
  );
  await client.close();
  return counts;
}

const allFaces = Object.entries(faces);
const allClients = Object.entries(clients);

it.each(mixes)(
  'lists of wrong definitions, mix %i, are accepted by every official client over every face',
  { timeout: limitMs * 3 },
  async (mix) => {
    const folder = aMix(mix);
    for (const [face, open] of allFaces) {
      const reach = await open(folder);
      const servers = face === 'mcp' ? 2 : 3;
      for (const [name, connect] of allClients) {
        const counts = await countRight(await connect(reach), servers);
        expect(counts, `${name} over ${face}`).toEqual([servers, servers, servers, servers]);
      }
    }
  },
);
