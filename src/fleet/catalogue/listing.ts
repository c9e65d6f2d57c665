import type { Prompt } from '../../contract/prompt/index.ts';
import type { Resource, ResourceTemplate } from '../../contract/resource/index.ts';
import type { McpServer, ServerExtensions } from '../../contract/server/index.ts';
import type { Tool } from '../../contract/tool/index.ts';

/** Everything a server offers, as plain JSON in an order that does not change between runs. */
export interface Listing {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
  readonly instructions?: string;
  readonly extensions?: ServerExtensions;
  /** Of the server itself, where it told. */
  readonly version?: string;
  readonly protocolVersion?: string;
}

export type ListKind = 'tools' | 'resources' | 'prompts';

/** Lists of a server that could not be had, with the reason. */
export type ListFailure = (kind: ListKind | 'templates', error: unknown) => void;

/**
 * Asks an open server for all it offers. A list that fails is taken from `known`; only a server
 * whose tools cannot be listed, and never could, throws.
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

/** By code units: the same on every machine. Names that stand twice keep the server's own order. */
function sortedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return items.toSorted((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    if (left === right) return 0;
    return left < right ? -1 : 1;
  });
}
