import type { MemoryItems } from '../../contract/memory/index.ts';
import type { McpServer } from '../../contract/server/index.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import { explainTool, searchTool } from './read-tools.ts';
import { forgetTool, rememberTool, updateTool } from './write-tools.ts';

export interface MemoryServerParts {
  readonly version: string;
  readonly memory: MemoryItems;
}

/** The server `memory`: what is remembered of the caller, why, and how to change that. */
export function createMemoryServer({ version, memory }: MemoryServerParts): McpServer {
  return createToolboxServer({
    name: 'memory',
    title: 'Memory',
    version,
    instructions:
      'Remembers facts, decisions and preferences across sessions. search says with each hit why it was found; explain says where an item comes ' +
      'from. What you remember is a candidate until a person accepts it.',
    tools: [
      searchTool(memory),
      rememberTool(memory),
      forgetTool(memory),
      explainTool(memory),
      updateTool(memory),
    ],
  });
}
