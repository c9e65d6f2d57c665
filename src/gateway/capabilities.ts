import type { Caller } from '../contract/caller/index.ts';
import type { McpServer } from '../contract/server/index.ts';
import type { Era } from '../protocol/index.ts';

/**
 * Capabilities of every server behind the gateway. A server without resources or prompts returns empty lists.
 */
const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
} as const;

/** The name of tasks among the extensions of the stateless era. */
const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The capabilities of a server with its extensions, in the form of an era. */
export function capabilitiesOf(server: McpServer, era: Era): object {
  const { tasks, extensions } = server.extensions?.() ?? {};
  if (era === 'handshake') return tasks ? { ...capabilities, tasks } : capabilities;
  return extensions ? { ...capabilities, extensions } : capabilities;
}

/** Whether requests about tasks can be passed on to the server. */
export function offersTasks(server: McpServer, era: Era): boolean {
  if (!server.request) return false;
  const { tasks, extensions } = server.extensions?.() ?? {};
  return era === 'handshake' ? tasks !== undefined : extensions?.[tasksExtension] !== undefined;
}

/** The server's `serverInfo`. */
export function serverInfo(server: McpServer): object {
  return { name: server.name, title: server.title, version: server.version };
}

export function instructions(server: McpServer, caller: Caller): object {
  const text = server.instructionsFor?.(caller) ?? server.instructions;
  return text === undefined ? {} : { instructions: text };
}
