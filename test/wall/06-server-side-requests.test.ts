import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type * as http from '../../src/http/index.ts';
import { importUnderTest } from '../support/wall/a-wall.ts';

/** A service on loopback that must not be reached. */
let victim: Server;
let port: number;
let reached = 0;
let location = '';
let fetchChecked: (typeof http)['fetchChecked'];

beforeAll(async () => {
  victim = createServer((request, response) => {
    if (request.url === '/redirect') response.writeHead(302, { location }).end();
    else {
      reached += 1;
      response.end('secret');
    }
  });
  await new Promise<void>((resolve) => {
    victim.listen(0, '127.0.0.1', resolve);
  });
  port = (victim.address() as AddressInfo).port;
  ({ fetchChecked } = await importUnderTest<typeof http>('http/index.ts'));
});

afterAll(() => void victim.close());

/** The public address comes first: a check of the first one only would pass. */
const resolveHost = async (name: string): Promise<readonly string[]> =>
  name === 'ours.example' ? ['127.0.0.1'] : ['93.184.215.14', '127.0.0.1'];

const addresses: Readonly<Record<string, string>> = {
  'CVE-2026-26118 metadata of a cloud': 'http://169.254.169.254/metadata/identity',
  'CVE-2025-65512 loopback': 'http://127.0.0.1:PORT/',
  'CVE-2025-65512 loopback, short': 'http://127.1:PORT/',
  'CVE-2025-65513 loopback, octal': 'http://0177.0.0.1:PORT/',
  'CVE-2025-65513 loopback, hexadecimal': 'http://0x7f.0.0.1:PORT/',
  'CVE-2025-65513 loopback, one number': 'http://2130706433:PORT/',
  'CVE-2025-65513 loopback, mapped': 'http://[::ffff:127.0.0.1]:PORT/',
  'CVE-2025-65513 loopback, mapped in hexadecimal': 'http://[::ffff:7f00:1]:PORT/',
  'CVE-2025-65513 loopback, IPv6': 'http://[::1]:PORT/',
  'CVE-2025-65513 any address': 'http://0.0.0.0:PORT/',
  'CVE-2025-65513 any address, IPv6': 'http://[::]:PORT/',
  'CVE-2025-65513 loopback, NAT64': 'http://[64:ff9b::7f00:1]:PORT/',
  'CVE-2025-65513 loopback, 6to4': 'http://[2002:7f00:1::]:PORT/',
  'CVE-2025-65513 loopback, compatible': 'http://[::127.0.0.1]:PORT/',
  'CVE-2025-65513 full-width digits': 'http://１２７.０.０.１:PORT/',
  'CVE-2025-65513 a trailing dot': 'http://127.0.0.1.:PORT/',
  'CVE-2026-15501 a test of a connection': 'http://localhost:PORT/',
  'CVE-2026-15643 a private network': 'http://10.0.0.1/',
  'CVE-2026-15643 another private network': 'http://172.31.255.255/',
  'CVE-2026-15643 a home network': 'http://192.168.0.1/',
  'CVE-2026-15643 shared addresses of a provider': 'http://100.64.0.1/',
  'CVE-2026-46341 a name that begins like an allowed one': 'http://ours.example.evil.example:PORT/',
  'CVE-2026-46341 an allowed name as user': 'http://ours.example@127.0.0.1:PORT/',
  'CVE-2026-46341 an allowed name in the fragment': 'http://127.0.0.1:PORT#ours.example',
  'CVE-2026-15583 a name with a public and a private address': 'http://mixed.example:PORT/',
  'CVE-2026-65056 a file': 'file:///etc/passwd',
  'CVE-2026-65056 gopher': 'gopher://127.0.0.1:PORT/_x',
  'CVE-2026-65056 data': 'data:text/plain,x',
  'CVE-2026-14748 link-local, IPv6': 'http://[fe80::1]:PORT/',
  'CVE-2026-14748 unique local, IPv6': 'http://[fd00:ec2::254]/',
  'CVE-2026-14748 multicast': 'http://224.0.0.1/',
  'CVE-2026-14748 the wire server of Azure': 'http://168.63.129.16/',
};

it.each(Object.entries(addresses))('does not fetch %s: %s', async (_what, url) => {
  const asked = fetchChecked(url.replace('PORT', String(port)), { resolveHost });
  await expect(asked).rejects.toMatchObject({ code: 'http.fetch_refused' });
  expect(reached).toBe(0);
});

it.each(
  Object.entries(addresses).filter(
    ([, url]) => url.startsWith('http:') && !/[^\x20-\x7e]/.test(url),
  ),
)('does not follow a redirect to %s: %s (ToolHive 0.40)', async (_what, url) => {
  location = url.replace('PORT', String(port));
  const origin = `http://ours.example:${port}`;
  const asked = fetchChecked(`${origin}/redirect`, { resolveHost, trustedOrigins: [origin] });
  await expect(asked).rejects.toMatchObject({ code: 'http.fetch_refused' });
  expect(reached).toBe(0);
});

it.each([
  'file:///etc/passwd',
  'gopher://public.example/',
  'ftp://public.example/',
  'ws://public.example/',
])('does not fetch %s, wherever its host is (CVE-2026-65056)', async (url) => {
  const asked = fetchChecked(url, { resolveHost: async () => ['93.184.215.14'] });
  await expect(asked).rejects.toMatchObject({ code: 'http.fetch_refused' });
});

it('connects to the address that was checked, whatever the name means a moment later', async () => {
  let lookups = 0;
  const origin = `http://ours.example:${port}`;
  await fetchChecked(origin, {
    trustedOrigins: [origin],
    resolveHost: async () => (++lookups === 1 ? ['127.0.0.1'] : ['192.0.2.1']),
  });
  expect([lookups, reached]).toEqual([1, 1]);
  reached = 0;
});

/** Everything that sends HTTP requests, and why its addresses are not foreign. */
const senders: Readonly<Record<string, string>> = {
  'client/connection.ts': 'the server that the user names; redirects are refused',
  'fleet/login/discover-authority.ts': 'uses the fetch it is given, which is the next one',
  'fleet/login/fetch-in-zone.ts':
    'uses the guard, with the network of the server in place of the public one',
  'fleet/upstream/links/http-caller.ts':
    'servers of the settings; redirects stay within the origin',
  'http/fetch-checked.ts': 'the guard itself',
  'models/providers/guarded-fetch.ts': 'providers of the settings; redirects are not followed',
  'models/detect/find-local-endpoints.ts': 'fixed addresses on loopback',
  'sandbox/kubernetes/cluster-api.ts': 'the cluster of the settings',
  'toolbox/code/vulnerabilities/osv-api.ts': 'the address of the settings',
  'workflow/restate/restate-client.ts': 'the server of the settings',
};

it('sends requests nowhere else: a new sender uses fetchChecked or is added to this list', () => {
  const found = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => {
      const text = readFileSync(join('src', file), 'utf8');
      return /(?<![.\w#])fetch\(|\bfrom 'node:https'|import\('node:https'\)|\bgetaddrinfo\b/.test(
        text,
      );
    });
  expect(found.filter((file) => !Object.hasOwn(senders, file))).toEqual([]);
});
