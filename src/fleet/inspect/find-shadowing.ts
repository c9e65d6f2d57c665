import type { ToolFlag } from '../../contract/fleet/index.ts';
import type { Tool } from '../../contract/tool/index.ts';

export interface InspectedServer {
  readonly name: string;
  readonly tools: readonly Tool[];
  /** Our own servers are not suspected, and may be shadowed. */
  readonly isOurs: boolean;
}

/** Shorter names, such as `search`, are common to many servers. */
const minLength = 7;

/**
 * Tools that could be taken for, or speak about, a tool of another server; by server. Of two tools with nearly the
 * same name that of the later server is flagged.
 */
export function findShadowing(
  servers: readonly InspectedServer[],
): ReadonlyMap<string, readonly ToolFlag[]> {
  const owners = ownersByName(servers);
  const earlier = new Map<string, string>();
  const flags = new Map<string, readonly ToolFlag[]>();
  for (const server of servers) {
    const found = server.isOurs
      ? []
      : server.tools.flatMap((tool) => [
          ...mentions(tool, server.name, owners),
          ...nearName(tool, earlier),
        ]);
    for (const { name } of server.tools) addForms(name, `${server.name}.${name}`, earlier);
    flags.set(server.name, found);
  }
  return flags;
}

function ownersByName(servers: readonly InspectedServer[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const { name: server, tools } of servers) {
    for (const { name } of tools) {
      owners.set(`${server}.${name}`.toLowerCase(), server);
      owners.set(`${server}__${name}`.toLowerCase(), server);
    }
  }
  return owners;
}

function mentions(tool: Tool, server: string, owners: ReadonlyMap<string, string>): ToolFlag[] {
  const words = (tool.description ?? '').toLowerCase().matchAll(/[\w-]+(?:\.|__)[\w-]+/g);
  for (const [word] of words) {
    const owner = owners.get(word);
    if (owner === undefined || owner === server) continue;
    const message = `its description speaks about "${word}" of another server`;
    return [{ tool: tool.name, kind: 'shadowing', message }];
  }
  return [];
}

function nearName({ name }: Tool, earlier: ReadonlyMap<string, string>): ToolFlag[] {
  const other = formsOf(name)
    .map((form) => earlier.get(form))
    .find((it) => it !== undefined);
  if (other === undefined) return [];
  return [{ tool: name, kind: 'shadowing', message: `its name is nearly that of "${other}"` }];
}

function addForms(name: string, owner: string, forms: Map<string, string>): void {
  for (const form of formsOf(name)) if (!forms.has(form)) forms.set(form, owner);
}

/** The name without case and separators, and with each one of its letters left out: names one letter apart share one. */
function formsOf(name: string): readonly string[] {
  const plain = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (plain.length < minLength || plain.length > 64) return [];
  const forms = [plain];
  for (let at = 0; at < plain.length; at += 1) forms.push(plain.slice(0, at) + plain.slice(at + 1));
  return forms;
}
