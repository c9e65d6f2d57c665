import { expect, it } from 'vitest';
import { aPeer } from '../../../testkit/gateway/http-peer.ts';

const headerMismatch = -32_020;
const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'echo', arguments: { text: 'hi' } },
} as const;

it.each([
  [{ 'mcp-method': 'tools/list' }, 'Mcp-Method'],
  [{ 'mcp-method': 'tools/call', 'mcp-name': 'other' }, 'Mcp-Name'],
  [{ 'mcp-name': 'other' }, 'Mcp-Name'],
  [{ 'mcp-method': 'tools/call, tools/list' }, 'Mcp-Method'],
  [{ 'mcp-name': '=?base64?b3RoZXI=?=' }, 'Mcp-Name'],
])('refuses a request of a session whose header says otherwise: %j', async (headers, name) => {
  const peer = await aPeer();
  const session = await peer.session();
  const answer = await peer.post(call, { ...session, ...headers });
  expect([answer.status, answer.json['error']]).toMatchObject([400, { code: headerMismatch }]);
  expect(answer.text).toContain(name);
  const good = { 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
  expect((await peer.post(call, { ...session, ...good })).json).toHaveProperty('result');
});

it('compares headers before it looks for a session, and for notifications and batches as well', async () => {
  const peer = await aPeer();
  const unknown = { 'mcp-session-id': 'nope', 'mcp-method': 'tools/list' };
  expect((await peer.post(call, unknown)).status).toBe(400);
  const session = { ...(await peer.session('2025-03-26')), 'mcp-method': 'tools/call' };
  const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
  expect((await peer.post(note, session)).status).toBe(400);
  expect((await peer.post(JSON.stringify([call, call]), session)).status).toBe(400);
});

it.each(['2025-06-18', '2025-11-25', '2026-07-28'])(
  'refuses clients older than the minimum version %s and names it',
  async (minProtocolVersion) => {
    const peer = await aPeer({ minProtocolVersion });
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      const params = { protocolVersion: version, capabilities: {} };
      const answer = await peer.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      if (version >= minProtocolVersion) {
        expect(answer.json['result']).toMatchObject({ protocolVersion: version });
        continue;
      }
      expect(answer.json['error']).toMatchObject({
        message: `Unsupported protocol version: this server requires ${minProtocolVersion} or later`,
        data: { requested: version },
      });
      expect(answer.headers).not.toHaveProperty('mcp-session-id');
    }
    expect((await peer.stateless('tools/list')).status).toBe(200);
  },
);

it('serves nothing of the handshake era, with or without initialize, below a stateless minimum', async () => {
  const peer = await aPeer({ minProtocolVersion: '2026-07-28' });
  const stream = await peer.stream('/sse', {});
  const path = (await stream.next()) ?? '';
  const headers = { 'content-type': 'application/json' };
  await peer.send({ path, headers, body: { ...call, id: 7 } });
  expect(await stream.nextJson()).toMatchObject({ id: 7, error: { code: -32_602 } });
  stream.leave();
});
