import type { Prompt } from '../../contract/prompt/index.ts';
import type { Resource, ResourceTemplate } from '../../contract/resource/index.ts';
import type { McpServer, ServerExtensions } from '../../contract/server/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import type { FleetServer } from './fleet-server.ts';

/** Everything a server offers, as plain JSON in a stable order. */
export interface Listing {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
  readonly instructions?: string;
  readonly extensions?: ServerExtensions;
  /** The server's own version, where known. */
  readonly version?: string;
  readonly protocolVersion?: string;
}

export type ListKind = 'tools' | 'resources' | 'prompts';

/** Called for each list that could not be fetched. */
export type ListFailure = (kind: ListKind | 'templates', error: unknown) => void;

/**
 * Fetches all lists of an open server. A list that fails is taken from `known`; throws only when the tools
 * cannot be listed and `known` has none.
 */
export async function takeListing(
  server: McpServer,
  known: Listing | undefined,
  onFailure: ListFailure,
): Promise<Listing> {
  const orKnown = async <Item>(
    kind: ListKind | 'templates',
    list: () => Promise<readonly Item[]>,
    before: readonly Item[] | undefined,
  ): Promise<readonly Item[]> => {
    try {
      return await list();
    } catch (error) {
      onFailure(kind, error);
      if (kind === 'tools' && before === undefined) throw error;
      return before ?? [];
    }
  };
  const [tools, resources, templates, prompts] = await Promise.all([
    orKnown('tools', () => server.listTools(), known?.tools),
    orKnown('resources', () => server.listResources(), known?.resources),
    orKnown('templates', () => server.listResourceTemplates(), known?.templates),
    orKnown('prompts', () => server.listPrompts(), known?.prompts),
  ]);
  const extensions = server.extensions?.();
  return {
    tools: sortedBy(tools, (tool) => tool.name),
    resources: sortedBy(resources, (resource) => resource.uri),
    templates: sortedBy(templates, (template) => template.uriTemplate),
    prompts: sortedBy(prompts, (prompt) => prompt.name),
    ...(server.instructions === undefined ? {} : { instructions: server.instructions }),
    ...(extensions === undefined ? {} : { extensions }),
    version: server.version,
  };
}

/** Sorts by code units: the same on every machine. Duplicate names keep the server's order. */
function sortedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return items.toSorted((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    if (left === right) return 0;
    return left < right ? -1 : 1;
  });
}

const maxLengthPerServer = 1_000;
const maxLength = 8_000;
const aboutCodeTools =
  'Code tools take "code" (the text) or "path" (a file, folder or glob inside the allowed roots) ' +
  'and never change a file.';

/** Instructions for the client's model: our own, then those of the configured servers. */
export function describeServers(servers: readonly FleetServer[]): string {
  const names = servers.map(({ name }) => name);
  const own = [
    `Tools of these servers: ${names.join(', ')}.`,
    ...(names.includes('code') ? [aboutCodeTools] : []),
  ].join(' ');
  const theirs = servers.flatMap(({ name, instructions, options }) => {
    const text = instructions?.trim() ?? '';
    if (options.source === 'built-in' || text === '') return [];
    return [`${name}: ${shortened(text, maxLengthPerServer)}`];
  });
  return shortened([own, ...theirs].join('\n\n'), maxLength);
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
