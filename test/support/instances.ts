import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aFolder } from './run-tutti.ts';

/** A server with tools that ask and wait. */
const fixture = new URL('../../testkit/gateway/stdio-fixture.ts', import.meta.url).pathname;

/** A folder whose instances have the server `fixture` and these settings. */
export function aHome(settings: object = {}): string {
  const cwd = aFolder();
  mkdirSync(join(cwd, '.config', 'tutti'), { recursive: true });
  const mcpServers = { fixture: { command: process.execPath, args: [fixture] } };
  const file = join(cwd, '.config', 'tutti', 'config.yaml');
  writeFileSync(file, JSON.stringify({ mcpServers, ...settings }));
  return cwd;
}

/** One MCP request of the 2025 era. */
export function postMcp(
  url: string,
  headers: Readonly<Record<string, string>>,
  message: object,
): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
}

/** Begins a session and returns the headers of its requests. */
export async function openSession(
  url: string,
  headers: Readonly<Record<string, string>>,
  capabilities: object = {},
): Promise<Record<string, string>> {
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
  const opened = await postMcp(url, headers, { method: 'initialize', params });
  return { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
}
