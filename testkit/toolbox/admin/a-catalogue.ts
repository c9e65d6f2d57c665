import type { Catalogue, CatalogueEntry } from '../../../src/contract/catalogue/index.ts';
import type { CallContext, ServerChange } from '../../../src/contract/server/index.ts';
import { examplesMetaKey, type ToolResult } from '../../../src/contract/tool/index.ts';
import { NotFoundError } from '../../../src/toolbox/errors.ts';

export function anEntry(
  name: string,
  description: string,
  examples: readonly string[] = [],
): CatalogueEntry {
  const [server = '', tool = ''] = name.split('.');
  return {
    name,
    wireName: `${server}__${tool}`,
    server,
    tool: {
      name: tool,
      description,
      inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
      ...(examples.length > 0 && { _meta: { [examplesMetaKey]: examples } }),
    },
  };
}

export const someEntries: readonly CatalogueEntry[] = [
  anEntry('files.read_text', 'Reads a text file. Slowly.'),
  anEntry('files.remove_directory', 'Removes a directory and what is in it.'),
  anEntry('mail.send_message', 'Sends a mail to somebody.', ['write to my boss']),
  anEntry('admin.call_tool', 'Calls a tool.'),
];

export interface FakeCatalogue {
  readonly catalogue: Catalogue;
  /** Makes these the tools there are, and tells. */
  replace(entries: readonly CatalogueEntry[]): void;
  /** What answers calls. */
  answer: (name: string, args: unknown, context: CallContext) => Promise<ToolResult>;
  listeners: Set<(change: ServerChange) => void>;
}

/** A catalogue of the given tools in which every call is answered by `answer`. */
export function aCatalogue(entries = someEntries): FakeCatalogue {
  let current = entries;
  let tools = current.map(({ wireName, tool }) => ({ ...tool, name: wireName }));
  const listeners = new Set<(change: ServerChange) => void>();
  const fake: FakeCatalogue = {
    listeners,
    answer: async () => ({ content: [] }),
    replace: (next) => {
      current = next;
      tools = current.map(({ wireName, tool }) => ({ ...tool, name: wireName }));
      for (const listener of listeners) listener({ kind: 'tools' });
    },
    catalogue: {
      name: 'tutti',
      title: 'Tutti',
      version: '1',
      entries: async () => current,
      listTools: async () => tools,
      callTool: async (name, args, context) => {
        if (!current.some((entry) => [entry.name, entry.wireName].includes(name))) {
          throw new NotFoundError('tool', name, []);
        }
        return fake.answer(name, args, context);
      },
      listResources: async () => [],
      listResourceTemplates: async () => [],
      readResource: async () => ({ contents: [] }),
      listPrompts: async () => [],
      getPrompt: async () => ({ messages: [] }),
      complete: async () => ({ values: [] }),
      request: async (method, params) => ({ method, params }),
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      close: async () => {},
    },
  };
  return fake;
}
