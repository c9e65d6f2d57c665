import type { Caller } from '../../contract/caller/index.ts';
import type { Catalogue } from '../../contract/catalogue/index.ts';
import type { ServerChange } from '../../contract/server/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import type { FleetCatalogue } from './fleet-catalogue.ts';

export interface CompactOptions {
  /** With more tools than this the list is compact; 0 makes it always compact. */
  readonly maxTools: number;
  /** Dotted names of the tools that find and call the others. If one is missing, every tool is listed. */
  readonly finders: readonly string[];
  /** Dotted or wire names of tools that are always listed. */
  readonly pinned: readonly string[];
  /** Servers whose other tools are left out of a long list, too. */
  readonly unlistedServers?: readonly string[];
}

/**
 * A catalogue that lists few tools but serves all: any tool can be called by name, listed or not.
 *
 * 1. The list depends only on the available tools, so the same tools give the same bytes.
 * 2. A change of tools is announced only after the list was shown, and only if it differs now.
 */
export function compactCatalogue(catalogue: FleetCatalogue, options: CompactOptions): Catalogue {
  const shown = new ShownTools(catalogue, options);
  const withHint = (instructions: string): string => {
    const finders = options.finders.map((name) => catalogue.wireNameOf(name));
    const hint = `Where few tools are listed, ${finders.join(' and ')} find and call the others.`;
    return [instructions, hint].join('\n\n').trim();
  };
  return {
    name: catalogue.name,
    title: catalogue.title,
    version: catalogue.version,
    get instructions() {
      return withHint(catalogue.instructions);
    },
    instructionsFor: (caller) => withHint(catalogue.instructionsFor(caller)),
    entries: (caller) => catalogue.entries(caller),
    listTools: (caller) => shown.list(caller),
    callTool: (name, args, context) => catalogue.callTool(name, args, context),
    listResources: (caller) => catalogue.listResources(caller),
    listResourceTemplates: (caller) => catalogue.listResourceTemplates(caller),
    readResource: (uri, context) => catalogue.readResource(uri, context),
    listPrompts: (caller) => catalogue.listPrompts(caller),
    getPrompt: (name, args, context) => catalogue.getPrompt(name, args, context),
    complete: (wanted, context) => catalogue.complete(wanted, context),
    onChange: (listener) => shown.subscribe(listener),
    close: () => catalogue.close(),
    request: (method, params, context) => catalogue.request(method, params, context),
    extensions: () => catalogue.extensions(),
    watchResource: (uri, caller) => catalogue.watchResource(uri, caller),
    setLogLevel: (level) => catalogue.setLogLevel(level),
    failures: () => catalogue.failures(),
    unlisted: () => catalogue.unlisted(),
  };
}

class ShownTools {
  readonly #catalogue: Catalogue;
  readonly #options: CompactOptions;
  readonly #listeners = new Set<(change: ServerChange) => void>();
  #stopFollowing: (() => void) | undefined;
  /** The full list and the part that is shown: the same array until something changed. */
  #latest: { readonly all: readonly Tool[]; readonly shown: readonly Tool[] } | undefined;
  /** The list as first shown or last announced. */
  #announced: string | undefined;

  constructor(catalogue: Catalogue, options: CompactOptions) {
    this.#catalogue = catalogue;
    this.#options = options;
  }

  async list(caller: Caller | undefined): Promise<readonly Tool[]> {
    const shown = await this.#choose();
    this.#announced ??= JSON.stringify(shown);
    if (caller?.scopes === undefined) return shown;
    const entries = await this.#catalogue.entries(caller);
    const visible = new Set(entries.map(({ wireName }) => wireName));
    return shown.filter(({ name }) => visible.has(name));
  }

  subscribe(listener: (change: ServerChange) => void): () => void {
    this.#listeners.add(listener);
    this.#stopFollowing ??= this.#catalogue.onChange((change) => {
      if (change.kind === 'tools') void this.#announceTools();
      else this.#tell(change);
    });
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stopFollowing?.();
      this.#stopFollowing = undefined;
    };
  }

  async #choose(): Promise<readonly Tool[]> {
    const all = await this.#catalogue.listTools();
    if (this.#latest?.all === all) return this.#latest.shown;
    const { maxTools, finders, pinned, unlistedServers = [] } = this.#options;
    const entries = await this.#catalogue.entries();
    const names = new Set(entries.map(({ name }) => name));
    const canFind = finders.every((name) => names.has(name));
    const usual = entries.filter(({ server }) => !unlistedServers.includes(server));
    const isShort = canFind && usual.length > maxTools;
    const wanted = new Set([...finders, ...pinned]);
    const listed = new Set(
      entries
        .filter(({ name, wireName }) => wanted.has(name) || wanted.has(wireName))
        .map(({ wireName }) => wireName),
    );
    const shownNames = isShort
      ? listed
      : new Set([...listed, ...(canFind ? usual : entries).map(({ wireName }) => wireName)]);
    const isWhole = shownNames.size === all.length;
    const shown = isWhole ? all : all.filter(({ name }) => shownNames.has(name));
    this.#latest = { all, shown };
    return shown;
  }

  async #announceTools(): Promise<void> {
    if (this.#announced === undefined) return;
    // A failed listing is reported to the next caller that lists.
    const shown = await this.#choose().catch(() => undefined);
    if (!shown) return;
    const text = JSON.stringify(shown);
    if (text === this.#announced) return;
    this.#announced = text;
    this.#tell({ kind: 'tools' });
  }

  #tell(change: ServerChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
