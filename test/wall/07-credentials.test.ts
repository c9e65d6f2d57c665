import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as http from '../../src/http/index.ts';
import { sampleSeeded } from '../../testkit/sample.ts';
import { aWall, importUnderTest, rpcOf } from '../support/wall/a-wall.ts';

/** Classes 7 (OAuth, as far as credentials travel) and 15 (supply chain). */
const seen: IncomingMessage[] = [];
let thief: Server;
let door: Server;
let status = 302;

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

const doorPort = 18_000 + (process.pid % 10_000);
const wall = aWall({
  settings: {
    mcpServers: {
      remote: {
        url: `http://127.0.0.1:${doorPort}/mcp`,
        headers: { authorization: 'Bearer upstream-secret', 'x-api-key': 'upstream-key' },
        retryAttempts: 0,
      },
    },
  },
});

let thiefPort = 0;

beforeAll(async () => {
  thief = createServer((request, response) => {
    seen.push(request);
    response.end('{}');
  });
  thiefPort = await listening(thief);
  door = createServer((_request, response) => {
    response.writeHead(status, { location: `http://127.0.0.1:${thiefPort}/mcp` }).end();
  });
  await new Promise<void>((resolve) => {
    door.listen(doorPort, '127.0.0.1', resolve);
  });
});

afterAll(() => {
  thief.close();
  door.close();
});

describe('credentials', () => {
  it.each(sampleSeeded([301, 302, 303, 307, 308], 2))(
    'of a server do not follow its redirect %d elsewhere (CVE-2026-62208, CVE-2025-62801)',
    async (code) => {
      status = code;
      const call = { name: 'remote__x', arguments: {} };
      expect(rpcOf(await wall.stateless('tools/call', call))).toHaveProperty('error');
      await wall.cli('servers');
      expect(seen).toEqual([]);
    },
  );

  it.each(['authorization', 'cookie', 'x-api-key', 'proxy-authorization', 'mcp-session-id'])(
    'in the header %s do not follow a redirect of a checked fetch (CVE-2026-62208)',
    async (name) => {
      const { fetchChecked } = await importUnderTest<typeof http>('http/index.ts');
      const origins = [doorPort, thiefPort].map((port) => `http://127.0.0.1:${port}`);
      status = 302;
      seen.length = 0;
      const headers = { [name]: 'secret' };
      await fetchChecked(`${origins[0]}/`, { headers, trustedOrigins: origins });
      expect(seen.length).toBe(1);
      expect(JSON.stringify(seen[0]?.headers)).not.toContain('secret');
      seen.length = 0;
    },
  );

  it.each([307, 308])('in a body do not follow a redirect %d (CVE-2026-53512)', async (code) => {
    const { fetchChecked } = await importUnderTest<typeof http>('http/index.ts');
    const origins = [doorPort, thiefPort].map((port) => `http://127.0.0.1:${port}`);
    status = code;
    const sent = fetchChecked(`${origins[0]}/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_secret: 'secret' }),
      trustedOrigins: origins,
    });
    await expect(sent).rejects.toMatchObject({ code: 'http.fetch_refused' });
    expect(seen).toEqual([]);
  });

  it('of a client are not passed on to a server (token passthrough)', async () => {
    const received: IncomingMessage['headers'][] = [];
    door.removeAllListeners('request').on('request', (request, response) => {
      received.push(request.headers);
      response.writeHead(500).end();
    });
    await wall.stateless('tools/call', { name: 'remote__x', arguments: {} });
    await wall.cli('servers');
    expect(received.length).toBeGreaterThan(0);
    expect(JSON.stringify(received)).not.toContain(wall.token);
    expect(received[0]).toMatchObject({ authorization: 'Bearer upstream-secret' });
  });
});

describe('what is installed', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<
      string,
      {
        dev?: boolean;
        hasInstallScript?: boolean;
        integrity?: string;
        resolved?: string;
        link?: boolean;
      }
    >;
  };
  const installed = Object.entries(lock.packages).filter(([path]) => path !== '');

  it('runs no script when it is installed (SANDWORM_MODE, @mastra)', () => {
    const scripts = installed.filter(([, entry]) => entry.hasInstallScript && !entry.dev);
    expect(installed.length).toBeGreaterThan(200);
    expect(scripts.map(([path]) => path)).toEqual([]);
  });

  it('is pinned by digest and comes from a registry over https (MAL-2026-2144, PYSEC-2026-2, McpInject)', () => {
    const loose = installed.filter(
      ([, { integrity, resolved, link }]) =>
        link !== true &&
        (!integrity?.startsWith('sha512-') || resolved?.startsWith('https://') === false),
    );
    expect(loose.map(([path]) => path)).toEqual([]);
  });

  it('is published with provenance, and dependencies have exact versions', () => {
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
      publishConfig: { provenance: boolean };
      dependencies: Record<string, string>;
    };
    expect(manifest.publishConfig.provenance).toBe(true);
    const ranges = Object.values(manifest.dependencies).filter(
      (version) => !/^\d+\.\d+\.\d+/.test(version),
    );
    expect(ranges).toEqual([]);
  });
});
