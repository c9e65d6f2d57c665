import { describe, expect, it } from 'vitest';
import { Secret } from '../../kernel/index.ts';
import { aPeer } from '../../../testkit/gateway/http-peer.ts';

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const hostile = '<script>alert("x")</script>';

describe('the page at /', () => {
  it('says that it runs, how to connect, and what is there', async () => {
    const ready = { name: 'files', state: 'ready', tools: 3, lastError: null } as const;
    const dead = { name: 'bad', state: 'failed', tools: 0, lastError: hostile } as const;
    const peer = await aPeer({ servers: async () => [ready, dead] });
    const host = `127.0.0.1:${peer.gateway.port}`;
    const { status, headers, text } = await peer.send({
      method: 'GET',
      path: '/',
      headers: { ...browser, host },
    });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain('Tutti is running');
    expect(text).toContain(`&quot;url&quot;: &quot;http://${host}/mcp&quot;`);
    expect(text).toContain('<code>files</code></td><td>ready</td><td>3</td>');
    const [tool] = await peer.server.listTools();
    expect(text).toContain(`<code>${tool?.name}</code>`);
    expect(text).not.toContain('Authorization');
  });

  it('runs no script, loads nothing, and shows what others say as text', async () => {
    const dead = { name: hostile, state: 'failed', tools: 0, lastError: hostile } as const;
    const peer = await aPeer({ servers: async () => [dead] });
    const { headers, text } = await peer.send({ method: 'GET', path: '/', headers: browser });
    expect(text).not.toContain('<script');
    expect(text).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;');
    expect(text).not.toMatch(/(?:src|href)=/);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });

  it('links to the other pages of the server', async () => {
    const peer = await aPeer({ links: [{ path: '/api/docs', text: 'The REST API' }] });
    const { text } = await peer.send({ method: 'GET', path: '/', headers: browser });
    expect(text).toContain('<a href="/api/docs">The REST API</a>');
  });

  it('lists nothing without the token', async () => {
    const peer = await aPeer({
      token: new Secret('hunter2'),
      servers: async () => [{ name: 'files', state: 'ready', tools: 3, lastError: null }],
    });
    const get = (headers: Record<string, string>) =>
      peer.send({ method: 'GET', path: '/', headers: { ...browser, ...headers } });
    const stranger = await get({});
    expect(stranger.status).toBe(200);
    expect(stranger.text).toContain('Bearer TOKEN');
    expect(stranger.text).not.toContain('files');
    expect((await get({ authorization: 'Bearer hunter2' })).text).toContain('files');
    expect((await get({ authorization: 'Bearer wrong' })).text).not.toContain('files');
  });

  it('is guarded like everything else, and only for browsers', async () => {
    const peer = await aPeer();
    const get = (headers: Record<string, string>, method = 'GET') =>
      peer.send({ method, path: '/', headers });
    expect((await get({ ...browser, host: 'evil.example' })).status).toBe(403);
    expect((await get({ ...browser, origin: 'https://evil.example' })).status).toBe(403);
    // A client that was given the address without /mcp is told so.
    for (const accept of ['text/event-stream', 'application/json, text/event-stream']) {
      expect((await get({ accept })).text).toContain('MCP is served at /mcp');
    }
    expect((await get(browser, 'POST')).status).toBe(405);
    expect(await get(browser, 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  it('says why nothing can be listed', async () => {
    const peer = await aPeer({ servers: () => Promise.reject(new Error('secret')) });
    const { status, text } = await peer.send({ method: 'GET', path: '/', headers: browser });
    expect(status).toBe(200);
    expect(text).toContain('They could not be listed');
    expect(text).not.toContain('secret');
    expect(peer.logged).toEqual(['overview failed']);
  });
});
