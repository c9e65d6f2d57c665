import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeServer, listen } from '../../../testkit/fleet/login/an-authority.ts';
import { zoneFetch } from '../../../testkit/fleet/login/logins-here.ts';
import { checkedUrl, zoneOf, zoneOfHost } from './fetch-in-zone.ts';

async function aServer(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  onTestFinished(() => closeServer(server));
  return listen(server);
}

describe('zoneOf', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['2606:4700::1111', 'public'],
    ['127.0.0.1', 'loopback'],
    ['127.9.9.9', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['fd00::1', 'private'],
    ['169.254.169.254', 'special'],
    ['::ffff:169.254.169.254', 'special'],
    ['64:ff9b::a9fe:a9fe', 'special'],
    ['2002:7f00:1::', 'special'],
    ['0.0.0.0', 'special'],
    ['::', 'special'],
    ['fe80::1', 'special'],
    ['224.0.0.1', 'special'],
    ['255.255.255.255', 'special'],
  ])('%s is %s', (address, zone) => {
    expect(zoneOf(address)).toBe(zone);
  });

  it('of a host name is the one of its addresses', async () => {
    expect(await zoneOfHost(new URL('http://localhost/'))).toBe('loopback');
    expect(await zoneOfHost(new URL('http://[::1]/'))).toBe('loopback');
  });
});

describe('checkedUrl', () => {
  it.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://example.org/',
    'http://example.org/',
    'http://10.0.0.1/',
    'http://localhost.example.org/',
    'https://user:secret@example.org/',
    'not a url',
    '',
  ])('refuses %s', (url) => {
    expect(() => checkedUrl(url)).toThrow(/refused/);
  });

  it.each(['https://example.org/a', 'http://127.0.0.1:1/', 'http://[::1]/', 'http://localhost/'])(
    'accepts %s',
    (url) => {
      expect(checkedUrl(url).href).toBe(new URL(url).href);
    },
  );
});

describe('fetchInZone', () => {
  const refusals: readonly (readonly [string, 'public' | 'private' | 'loopback' | 'special'])[] = [
    ['http://127.0.0.1/', 'public'],
    ['http://127.0.0.1/', 'private'],
    ['http://localhost/', 'public'],
    ['https://127.0.0.1/', 'public'],
    ['https://localhost/', 'public'],
    ['https://10.0.0.1/', 'public'],
    ['https://10.0.0.1/', 'loopback'],
    ['https://169.254.169.254/latest/', 'public'],
    ['https://169.254.169.254/latest/', 'special'],
    ['https://[::ffff:169.254.169.254]/', 'public'],
    ['https://0x7f.1/', 'public'],
    ['https://0177.0.0.1/', 'public'],
    ['https://2130706433/', 'public'],
    ['https://0/', 'loopback'],
  ];

  it.each(refusals)('does not contact %s for a server in the %s network', async (url, zone) => {
    await expect(zoneFetch({ zone })(url)).rejects.toThrow(/was refused/);
  });

  it('follows a few redirects of a GET, each checked', async () => {
    const origin = await aServer(({ url }, response) => {
      const targets: Record<string, string> = {
        '/a': '/b',
        '/inward': 'https://169.254.169.254/latest/meta-data',
        '/file': 'file:///etc/passwd',
        '/loop': '/loop',
      };
      const location = targets[url ?? ''];
      if (location === undefined) response.end('{"ok":true}');
      else response.writeHead(302, { location }).end();
    });
    const fetch = (path: string) => zoneFetch({ zone: 'loopback' })(`${origin}${path}`);
    expect(await (await fetch('/a')).json()).toEqual({ ok: true });
    await expect(fetch('/inward')).rejects.toThrow('its address is special');
    await expect(fetch('/file')).rejects.toThrow('was refused');
    await expect(fetch('/loop')).rejects.toThrow('more than 3 redirects');
  });

  it('does not follow a redirect of a POST, which carries a code or token', async () => {
    const seen: string[] = [];
    const origin = await aServer(({ url }, response) => {
      seen.push(url ?? '');
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    const request = { method: 'POST', body: 'code=canary' };
    const response = await zoneFetch({ zone: 'loopback' })(`${origin}/token`, request);
    expect([response.status, seen]).toEqual([307, ['/token']]);
  });

  it('ends a response that is too large or too slow', async () => {
    const origin = await aServer(({ url }, response) => {
      response.on('error', () => {});
      if (url === '/slow') {
        response.write('{');
        return;
      }
      const chunk = Buffer.alloc(65_536, 32);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) continue;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const terms = { zone: 'loopback', limits: { totalMs: 300, maxBytes: 100_000 } } as const;
    await expect(zoneFetch(terms)(`${origin}/slow`)).rejects.toThrow('within 300 ms');
    await expect(zoneFetch(terms)(`${origin}/huge`)).rejects.toThrow('100000 bytes');
  });

  it('shows no query of a URL it refuses', async () => {
    const failure = zoneFetch({ zone: 'public' })('https://10.0.0.1/x?code=canary');
    await expect(failure).rejects.not.toThrow('canary');
  });
});
