import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { ToolAnnotations } from '../../contract/tool/index.ts';

/**
 * What the plan for one message may call.
 *
 * 1. It is made of the user's own words before any result, file or document is read, and never grows.
 * 2. A tool that changes something, or reaches beyond this machine, is in it only if those words ask for it.
 * 3. Tools by which the agent could approve, cancel, change or call whatever it likes are never in it.
 */
export interface Capability {
  readonly entries: readonly CatalogueEntry[];
  find(name: string): CatalogueEntry | undefined;
}

/** Servers of Tutti itself: of these the agent gets what only looks, and never another agent. */
const ownServers: readonly string[] = ['admin', 'workflow'];
const agentServer = 'agent';

/** Whether a tool is about Tutti itself, not about the user's work. */
export function isAboutTutti({ server }: CatalogueEntry): boolean {
  return server === agentServer || ownServers.includes(server);
}

/** Whether the agent may be told about this tool at all. */
export function isOfferable({ server, tool }: CatalogueEntry): boolean {
  if (server === agentServer) return false;
  return !ownServers.includes(server) || tool.annotations?.readOnlyHint === true;
}

/** Tools that look after Tutti itself: a request is hardly ever for them, and many of their words are everyday ones. */
export function isHousekeeping({ server }: CatalogueEntry): boolean {
  return ownServers.includes(server);
}

/** Servers we ship, whose tools reach out only in ways the user has set up. */
export type IsTrusted = (server: string) => boolean;

/** Changes nothing, and nothing can leave this machine through it. */
export function isHarmless({ server, tool }: CatalogueEntry, isTrusted: IsTrusted): boolean {
  return isReadOnly(tool.annotations) && !reachesOut(server, tool.annotations, isTrusted);
}

/** Its tools may work for hours. */
const costlyServers: readonly string[] = ['ml'];

/** Only looks, soon ends, and runs no code of the project: it may run where the words may mean something else. */
export function isCheapToTry({ server, tool }: CatalogueEntry): boolean {
  const { annotations } = tool;
  const isRepeatable = annotations?.idempotentHint === true;
  return isReadOnly(annotations) && isRepeatable && !costlyServers.includes(server);
}

export function isReadOnly(annotations: ToolAnnotations | undefined): boolean {
  return annotations?.readOnlyHint === true;
}

/** What a tool does not say is taken as MCP says: it may reach out. */
export function reachesOut(
  server: string,
  annotations: ToolAnnotations | undefined,
  isTrusted: IsTrusted,
): boolean {
  return annotations?.openWorldHint !== false && !isTrusted(server);
}

export interface CapabilityParts {
  /** What was found for the user's words. */
  readonly offered: readonly CatalogueEntry[];
  /** Those the user named, and those the intent, read from the user's words alone, asks for. */
  readonly asked: readonly CatalogueEntry[];
  readonly isTrusted: IsTrusted;
}

export function createCapability({ offered, asked, isTrusted }: CapabilityParts): Capability {
  const allowed = [...asked, ...offered.filter((entry) => isHarmless(entry, isTrusted))];
  const byName = new Map(
    allowed.filter((entry) => isOfferable(entry)).map((entry) => [entry.name, entry]),
  );
  const entries = [...byName.values()];
  return { entries, find: (name) => byName.get(name) ?? findByOtherName(entries, name) };
}

/** Models write `generate_code` or `code__generate_code` for `code.generate_code`; where just one is meant, that is it. */
export function findByOtherName(
  entries: readonly CatalogueEntry[],
  name: string,
): CatalogueEntry | undefined {
  const [found, ...more] = entries.filter(
    (entry) => entry.name === name || entry.wireName === name || entry.tool.name === name,
  );
  return more.length === 0 ? found : undefined;
}
