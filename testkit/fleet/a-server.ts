import type { McpServer, ServerChange } from '../../src/contract/server/index.ts';
import { UnknownNameError } from '../../src/fleet/errors.ts';
import type { Connection } from '../../src/fleet/supervise/connection.ts';

export { aCallContext as aContext } from '../toolbox/call-context.ts';

/** A server with one tool, one resource and one prompt, all answering with the server's name. */
export function aServer(name: string, parts: Partial<McpServer> = {}): McpServer {
  return {
    name,
    title: name,
    version: '1',
    listTools: async () => [{ name: 'hello', inputSchema: { type: 'object' } }],
    callTool: async () => ({ content: [{ type: 'text', text: `hello from ${name}` }] }),
    listResources: async () => [{ uri: `${name}://a`, name: 'a' }],
    listResourceTemplates: async () => [{ uriTemplate: `${name}://{x}`, name: 'x' }],
    readResource: async (uri) => {
      if (uri !== `${name}://a`) throw new UnknownNameError('resource', uri);
      return { contents: [{ uri, text: name }] };
    },
    listPrompts: async () => [{ name: 'greet' }],
    getPrompt: async (prompt) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `${name}/${prompt}` } }],
    }),
    complete: async (request) => ({
      values: request.reference.type === 'ref/prompt' ? [request.reference.name] : [],
    }),
    onChange: () => () => {},
    close: async () => {},
    ...parts,
  };
}

/** A connection that a test can end, hang and make talk. */
export interface FakeConnection extends Connection {
  end(reason: string): void;
  change(change: ServerChange): void;
  readonly closed: { count: number };
  lastTrafficAt: number;
}

export function aConnection(name: string, parts: Partial<Connection> = {}): FakeConnection {
  const ended = Promise.withResolvers<{ readonly reason: string }>();
  const listeners = new Set<(change: ServerChange) => void>();
  const closed = { count: 0 };
  let isOpen = true;
  return {
    ...aServer(name),
    protocolVersion: '2025-11-25',
    pid: 42,
    get isOpen() {
      return isOpen;
    },
    problems: [],
    lastTrafficAt: 0,
    ended: ended.promise,
    ping: async () => {},
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      closed.count += 1;
    },
    ...parts,
    closed,
    end(reason) {
      isOpen = false;
      ended.resolve({ reason });
    },
    change(change) {
      for (const listener of listeners) listener(change);
    },
  };
}
