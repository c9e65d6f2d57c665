import type { McpServer } from '../contract/server/index.ts';

/**
 * What every server behind the gateway can do. A server without resources or prompts answers with
 * empty lists, so nothing depends on which one it is.
 */
export const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
} as const;

/** How the server introduces itself. */
export function serverInfo(server: McpServer): object {
  return { name: server.name, title: server.title, version: server.version };
}

export function instructions(server: McpServer): object {
  return server.instructions === undefined ? {} : { instructions: server.instructions };
}
