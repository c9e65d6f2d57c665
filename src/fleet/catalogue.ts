import type { Catalogue, CatalogueEntry, ListingFailure } from '../contract/catalogue/index.ts';
import type { Prompt } from '../contract/prompt/index.ts';
import type {
  CallContext,
  CompletionRequest,
  McpServer,
  ServerChange,
} from '../contract/server/index.ts';
import { failedToolResult, type ToolResult } from '../contract/tool/index.ts';
import { AppError, reportError, type Log } from '../kernel/index.ts';
import { bareWireName, dottedName, wireName } from '../protocol/index.ts';
import type { CallLane } from './call-lane.ts';
import { UnknownNameError, UnknownServerError } from './errors.ts';
import { FleetServer, type ServerEntry } from './fleet-server.ts';

export interface CatalogueOptions {
  /** How it introduces itself. */
  readonly title: string;
  readonly version: string;
  readonly servers: readonly ServerEntry[];
  readonly lane: CallLane;
  /** Tools that may be seen and called, by bare or dotted name; empty means all. */
  readonly enabledTools: readonly string[];
  readonly log: Log;
}

/** The servers as one. See the room's README for what it guarantees. */
export function createCatalogue(options: CatalogueOptions): Catalogue {
  return new FleetCatalogue(options);
}

class FleetCatalogue implements Catalogue {
  readonly name = 'tutti';
  readonly title: string;
  readonly version: string;
  readonly instructions: string;
  readonly #servers: readonly FleetServer[];
  readonly #options: CatalogueOptions;
  #index = new Map<string, CatalogueEntry>();

  constructor(options: CatalogueOptions) {
    this.#options = options;
    this.title = options.title;
    this.version = options.version;
    this.#servers = options.servers.map((entry) => new FleetServer(entry, options.log));
    const names = options.servers.map((entry) => entry.name).join(', ');
    this.instructions =
      `Tools of these servers: ${names}. Code tools take "code" (the text) or "path" ` +
      '(a file, folder or glob inside the allowed roots) and never change a file.';
  }

  async entries(): Promise<readonly CatalogueEntry[]> {
    const perServer = await Promise.all(
      this.#servers.map(async (server) => {
        const tools = await server.listOrNothing((opened) => opened.listTools());
        return tools
          .filter((tool) => this.#isEnabled(server.name, tool.name))
          .map((tool): CatalogueEntry => ({
            name: dottedName(server.name, tool.name),
            wireName: this.#wireName(server.name, tool.name),
            server: server.name,
            tool,
          }));
      }),
    );
    return perServer.flat();
  }

  failures(): readonly ListingFailure[] {
    return this.#servers.flatMap(({ name, listingFailure }) =>
      listingFailure === undefined ? [] : [{ server: name, message: listingFailure }],
    );
  }

  async listTools() {
    return (await this.entries()).map(({ wireName, tool }) => ({ ...tool, name: wireName }));
  }

  async callTool(name: string, args: unknown, context: CallContext): Promise<ToolResult> {
    const entry = await this.#findTool(name);
    try {
      return await this.#options.lane.run(entry, context, async (laneContext) => {
        const server = await this.#open(entry.server);
        return server.callTool(entry.tool.name, args, laneContext);
      });
    } catch (error) {
      context.signal.throwIfAborted();
      if (error instanceof AppError) return failedToolResult(reportError(error));
      throw error;
    }
  }

  async listResources() {
    const lists = this.#servers.map((server) => server.listOrNothing((it) => it.listResources()));
    return (await Promise.all(lists)).flat();
  }

  async listResourceTemplates() {
    const lists = this.#servers.map((server) =>
      server.listOrNothing((it) => it.listResourceTemplates()),
    );
    return (await Promise.all(lists)).flat();
  }

  /** Servers are asked in order: one that does not know the address says so, and the next is asked. */
  async readResource(uri: string, context: CallContext) {
    for (const server of this.#servers) {
      const contents = await this.#orNotFound(async () =>
        (await server.open()).readResource(uri, context),
      );
      if (contents) return contents;
    }
    throw new UnknownNameError('resource', uri);
  }

  async listPrompts(): Promise<readonly Prompt[]> {
    return (await this.#prompts()).map(({ prompt, wireName }) => ({ ...prompt, name: wireName }));
  }

  async getPrompt(name: string, args: Readonly<Record<string, string>>) {
    const found = await this.#findPrompt(name);
    return (await this.#open(found.server)).getPrompt(found.prompt.name, args);
  }

  async complete(request: CompletionRequest) {
    if (request.reference.type === 'ref/prompt') {
      const found = await this.#findPrompt(request.reference.name);
      const reference = { ...request.reference, name: found.prompt.name };
      return (await this.#open(found.server)).complete({ ...request, reference });
    }
    for (const server of this.#servers) {
      const completion = await this.#orNotFound(async () =>
        (await server.open()).complete(request),
      );
      if (completion && completion.values.length > 0) return completion;
    }
    return { values: [] };
  }

  onChange(listener: (change: ServerChange) => void): () => void {
    const stops: (() => void)[] = [];
    let stopped = false;
    for (const server of this.#servers) {
      server.open().then(
        (opened) => {
          if (!stopped) stops.push(opened.onChange(listener));
        },
        // Reported by the listing that needs it.
        () => {},
      );
    }
    return () => {
      stopped = true;
      for (const stop of stops) stop();
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  #wireName(server: string, tool: string): string {
    return this.#servers.length === 1 ? bareWireName(tool) : wireName(server, tool);
  }

  #isEnabled(server: string, tool: string): boolean {
    const enabled = this.#options.enabledTools;
    return (
      enabled.length === 0 || enabled.includes(tool) || enabled.includes(dottedName(server, tool))
    );
  }

  /** Looks a tool up by wire or dotted name; the index is built anew when it does not hold the name. */
  async #findTool(name: string): Promise<CatalogueEntry> {
    const known = this.#index.get(name);
    if (known) return known;
    this.#index = new Map();
    for (const entry of await this.entries()) {
      this.#index.set(entry.wireName, entry).set(entry.name, entry);
    }
    const entry = this.#index.get(name);
    if (!entry) throw new UnknownNameError('tool', name);
    return entry;
  }

  async #prompts() {
    const perServer = await Promise.all(
      this.#servers.map(async (server) => {
        const prompts = await server.listOrNothing((opened) => opened.listPrompts());
        return prompts.map((prompt) => ({
          server: server.name,
          prompt,
          wireName: this.#wireName(server.name, prompt.name),
        }));
      }),
    );
    return perServer.flat();
  }

  async #findPrompt(name: string) {
    const found = (await this.#prompts()).find(
      (it) => it.wireName === name || dottedName(it.server, it.prompt.name) === name,
    );
    if (!found) throw new UnknownNameError('prompt', name);
    return found;
  }

  async #open(name: string): Promise<McpServer> {
    const server = this.#servers.find((it) => it.name === name);
    if (!server) {
      throw new UnknownServerError(
        name,
        this.#servers.map((it) => it.name),
      );
    }
    return server.open();
  }

  /** `undefined` where a server says it does not have what was asked for; other failures are thrown. */
  async #orNotFound<Result>(ask: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof AppError && error.code.endsWith('.not_found')) return undefined;
      throw error;
    }
  }
}
