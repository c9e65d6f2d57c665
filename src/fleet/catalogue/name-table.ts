import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { Prompt } from '../../contract/prompt/index.ts';
import {
  isOwnAddress,
  type Resource,
  type ResourceTemplate,
} from '../../contract/resource/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import { nearest } from '../../kernel/index.ts';
import { bareWireName, dottedName, hashedWireName, wireName } from '../../protocol/index.ts';
import { matchesGlob } from './matches-glob.ts';
import type { FleetServer } from './fleet-server.ts';
import { withoutLooseHints } from './trusted-tool.ts';

/** A tool and its server. */
export interface ToolRoute {
  readonly entry: CatalogueEntry;
  readonly server: FleetServer;
  /** It waits for the user's acceptance: it has its name, and is neither listed nor called. */
  readonly isHeld: boolean;
}

export interface PromptRoute {
  readonly prompt: Prompt;
  readonly server: FleetServer;
}

/** A resource or template: its server, and the server's own uri. */
export interface AddressRoute {
  readonly server: FleetServer;
  readonly uri: string;
}

/** A name or uri that a server wants to offer. */
interface Claim {
  readonly server: FleetServer;
  readonly label: string;
  readonly name: string;
}

/** Limit of the report, for servers that repeat a name thousands of times. */
const maxCollisions = 200;

/**
 * Everything the servers offer at one moment, under the names clients use. Lists keep the order of the
 * servers and of their listings. Immutable once built.
 */
export class NameTable {
  readonly entries: CatalogueEntry[] = [];
  /** By wire name and by dotted name; likewise for prompts. */
  readonly toolRoutes = new Map<string, ToolRoute>();
  readonly prompts: Prompt[] = [];
  readonly promptRoutes = new Map<string, PromptRoute>();
  readonly resources: Resource[] = [];
  readonly resourceRoutes = new Map<string, AddressRoute>();
  readonly templates: ResourceTemplate[] = [];
  readonly templateRoutes = new Map<string, AddressRoute>();
  /** Prefixes of uris that an earlier server has, too: `notes+`. */
  readonly addressPrefixes = new Map<string, FleetServer>();
  /** Naming conflicts and their resolution, as sentences. */
  readonly collisions: string[] = [];
  readonly #listed: { readonly tool: Tool; readonly siblings?: ReadonlyMap<string, string> }[] = [];
  #tools: readonly Tool[] | undefined;
  readonly #isBare: boolean;
  readonly #hasOwn: boolean;
  readonly #enabledTools: ReadonlySet<string>;

  /** `enabledTools` holds bare or dotted names of the tools to offer; empty means all. */
  constructor(servers: readonly FleetServer[], enabledTools: readonly string[]) {
    this.#isBare = servers.length === 1;
    this.#hasOwn = servers.some(({ options }) => options.source === 'built-in');
    this.#enabledTools = new Set(enabledTools);
    const labels = chooseLabels(servers, this.collisions);
    for (const server of servers) this.#add(server, labels.get(server) ?? server.name);
  }

  /** Made at the first list: most processes call tools and never list them. */
  get tools(): readonly Tool[] {
    this.#tools ??= this.#listed.map(({ tool, siblings }) =>
      siblings ? withWireNames(tool, siblings) : tool,
    );
    return this.#tools;
  }

  #add(server: FleetServer, label: string): void {
    const { listing } = server;
    if (!listing) return;
    // Descriptions of configured servers are passed on unchanged, but for characters that hide text.
    const isRewritten = server.options.source === 'built-in' && !this.#isBare;
    const wireNames = new Map<string, string>();
    for (const tool of this.#once('tool', server, server.shownTools)) {
      if (!this.#isOffered(server, label, tool.name)) continue;
      const { wire, isHeld } = this.#addTool(server, label, tool);
      wireNames.set(tool.name, wire);
      if (isHeld) continue;
      this.#listed.push({
        tool: { ...tool, name: wire },
        ...(isRewritten && { siblings: wireNames }),
      });
    }
    for (const prompt of this.#once('prompt', server, listing.prompts)) {
      const wire = this.#claim({ server, label, name: prompt.name }, this.promptRoutes);
      const route = { server, prompt };
      const dotted = dottedName(label, prompt.name);
      this.promptRoutes.set(wire, route);
      if (!this.promptRoutes.has(dotted)) this.promptRoutes.set(dotted, route);
      this.prompts.push({ ...prompt, name: wire });
    }
    for (const resource of listing.resources) {
      const uri = this.#hold({ server, label, name: resource.uri }, this.resourceRoutes);
      if (uri === resource.uri) this.resources.push(resource);
      else if (uri !== undefined) this.resources.push({ ...resource, uri });
    }
    for (const template of listing.templates) {
      const held = { server, label, name: template.uriTemplate };
      const uriTemplate = this.#hold(held, this.templateRoutes);
      if (uriTemplate === template.uriTemplate) this.templates.push(template);
      else if (uriTemplate !== undefined) this.templates.push({ ...template, uriTemplate });
    }
  }

  /** The uri under which clients know a server's resource. */
  outerAddress(server: FleetServer, uri: string): string {
    if (this.resourceRoutes.get(uri)?.server === server) return uri;
    const prefix = this.addressPrefixes.entries().find(([, holder]) => holder === server)?.[0];
    return `${prefix ?? ''}${uri}`;
  }

  #addTool(
    server: FleetServer,
    label: string,
    tool: Tool,
  ): { readonly wire: string; readonly isHeld: boolean } {
    const wire = this.#claim({ server, label, name: tool.name }, this.toolRoutes);
    const dotted = dottedName(label, tool.name);
    // `a.b` + `c` and `a` + `b.c` give the same dotted name; the second tool has only its wire name.
    const name = this.toolRoutes.has(dotted) ? wire : dotted;
    const entry = entryOf(server, tool, { name, wireName: wire });
    const isHeld = server.isHeld(tool.name);
    const route = { entry, server, isHeld };
    this.toolRoutes.set(wire, route).set(name, route);
    if (!isHeld) this.entries.push(entry);
    return { wire, isHeld };
  }

  /** The wire name of the tool closest to a mistyped bare, dotted or wire name. */
  nearestTool(name: string): string | undefined {
    const wireNames = new Map<string, string>();
    for (const { wireName: wire, name: dotted, tool } of this.entries) {
      for (const written of [tool.name, dotted, wire]) wireNames.set(written, wire);
    }
    return wireNames.get(nearest(name, wireNames.keys()) ?? '');
  }

  /** The same for a prompt. */
  nearestPrompt(name: string): string | undefined {
    return nearest(
      name,
      this.prompts.map((prompt) => prompt.name),
    );
  }

  #isOffered(server: FleetServer, label: string, tool: string): boolean {
    const { include, exclude = [] } = server.options;
    if (include && !include.some((glob) => matchesGlob(glob, tool))) return false;
    if (exclude.some((glob) => matchesGlob(glob, tool))) return false;
    const enabled = this.#enabledTools;
    return enabled.size === 0 || enabled.has(tool) || enabled.has(dottedName(label, tool));
  }

  /** The items without later duplicates of a name. */
  #once<Item extends { readonly name: string }>(
    kind: string,
    server: FleetServer,
    items: readonly Item[],
  ): Item[] {
    const seen = new Set<string>();
    return items.filter(({ name }) => {
      if (seen.has(name)) {
        this.#collide(`Server "${server.name}" lists ${kind} "${name}" twice; the first counts`);
        return false;
      }
      seen.add(name);
      return true;
    });
  }

  /** A unique wire name: on a conflict the later one gets a hash suffix. */
  #claim(
    { server, label, name }: Claim,
    routes: ReadonlyMap<string, { readonly server: FleetServer }>,
  ): string {
    const wire = this.#isBare ? bareWireName(name) : wireName(label, name);
    const holder = routes.get(wire);
    if (!holder) return wire;
    const distinct = this.#hashed({ label, name, whole: `${server.name}\u0000${name}` }, routes);
    this.#collide(
      `Servers "${holder.server.name}" and "${server.name}" both have "${wire}"; ` +
        `that of "${server.name}" is called "${distinct}"`,
    );
    return distinct;
  }

  /** A name ending in a hash of `whole`, rehashed until it is unique. */
  #hashed(
    { label, name, whole }: { label: string; name: string; whole: string },
    routes: ReadonlyMap<string, unknown>,
  ): string {
    const parts = this.#isBare ? { tool: name } : { server: label, tool: name };
    let original = whole;
    // Terminates: each round needs another taken name, and those are bounded.
    for (;;) {
      const distinct = hashedWireName(parts, original);
      if (!routes.has(distinct)) return distinct;
      original = `${original}\u0000`;
    }
  }

  /** A unique uri: one that an earlier server has gets the prefix of its server. */
  #hold({ server, label, name }: Claim, routes: Map<string, AddressRoute>): string | undefined {
    const holder = routes.get(name)?.server;
    if (holder === server) {
      this.#collide(`Server "${server.name}" lists ${name} twice; the first counts`);
      return undefined;
    }
    const isReserved = this.#hasOwn && server.options.source !== 'built-in' && isOwnAddress(name);
    let address = isReserved ? `${this.#addressPrefix(server, label)}${name}` : name;
    // Terminates: the number of listed uris is bounded.
    while (routes.has(address)) address = `${this.#addressPrefix(server, label)}${address}`;
    routes.set(address, { server, uri: name });
    if (holder) {
      this.#collide(
        `Servers "${holder.name}" and "${server.name}" both have ${name}; ` +
          `that of "${server.name}" is ${address}`,
      );
    }
    return address;
  }

  /** URI schemes begin with a letter and allow few characters. */
  #addressPrefix(server: FleetServer, label: string): string {
    const cleaned = label.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-');
    const scheme = /^[a-z]/.test(cleaned) ? cleaned : `s-${cleaned}`;
    let prefix = `${scheme}+`;
    const isTaken = (): boolean => (this.addressPrefixes.get(prefix) ?? server) !== server;
    for (let number = 2; isTaken(); number += 1) prefix = `${scheme}-${number}+`;
    this.addressPrefixes.set(prefix, server);
    return prefix;
  }

  #collide(sentence: string): void {
    if (this.collisions.length < maxCollisions) this.collisions.push(sentence);
  }
}

function entryOf(
  server: FleetServer,
  tool: Tool,
  names: Pick<CatalogueEntry, 'name' | 'wireName'>,
): CatalogueEntry {
  const { name, options, runner } = server;
  const { isTrusted = false, timeoutMs } = options;
  const counting = isTrusted ? server.asAccepted(tool) : withoutLooseHints(tool);
  return {
    ...names,
    server: name,
    tool: counting,
    ...(counting !== tool && tool.annotations && { declared: tool.annotations }),
    isTrusted,
    isOwn: options.source === 'built-in',
    endsWithCaller: runner.transport === 'in-process' || runner.transport === 'stdio',
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

/**
 * The prefix of each server's tools. Server names are assigned before configured prefixes, so that a prefix
 * cannot take the name of another server; a taken label gets a number.
 */
function chooseLabels(
  servers: readonly FleetServer[],
  collisions: string[],
): ReadonlyMap<FleetServer, string> {
  const labels = new Map<FleetServer, string>();
  const taken = new Map<string, FleetServer>();
  const choose = (server: FleetServer, wanted: string): void => {
    let label = wanted;
    for (let number = 2; taken.has(label); number += 1) label = `${server.name}-${number}`;
    const holder = taken.get(wanted);
    if (holder) {
      collisions.push(
        `Servers "${holder.name}" and "${server.name}" both put "${wanted}" in front of their ` +
          `tools; those of "${server.name}" have "${label}" instead`,
      );
    }
    taken.set(label, server);
    labels.set(server, label);
  };
  for (const server of servers) {
    if (server.options.prefix === undefined) choose(server, server.name);
  }
  for (const server of servers) {
    const { prefix } = server.options;
    if (prefix !== undefined) choose(server, prefix);
  }
  return labels;
}

/**
 * Rewrites sibling names in a tool's descriptions to wire names: `call_tool` becomes `admin__call_tool`. Names of
 * one word are left alone, because they may be ordinary words.
 */
function withWireNames(tool: Tool, wireNames: ReadonlyMap<string, string>): Tool {
  const names = [...wireNames.keys()].filter((name) => /^\w+_\w+$/.test(name));
  if (names.length === 0) return tool;
  const pattern = new RegExp(`\\b(?:${names.join('|')})\\b`, 'g');
  const rewrite = (text: string): string =>
    text.replaceAll(pattern, (name) => wireNames.get(name) ?? name);
  return {
    ...tool,
    ...(tool.description !== undefined && { description: rewrite(tool.description) }),
    inputSchema: Object(rewriteDescriptions(tool.inputSchema, rewrite)),
    ...(tool.outputSchema && {
      outputSchema: Object(rewriteDescriptions(tool.outputSchema, rewrite)),
    }),
  };
}

/** Only for schemas of built-in tools, whose depth is bounded. */
function rewriteDescriptions(value: unknown, rewrite: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rewriteDescriptions(item, rewrite));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'description' && typeof inner === 'string'
        ? rewrite(inner)
        : rewriteDescriptions(inner, rewrite),
    ]),
  );
}
