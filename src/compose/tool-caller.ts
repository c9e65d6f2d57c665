import type { Catalogue, CatalogueEntry } from '../contract/catalogue/index.ts';
import type { ToolResult } from '../contract/tool/index.ts';
import type { ToolCaller } from '../workflow/effects/index.ts';

export interface KnownTools {
  readonly caller: ToolCaller;
  /** By dotted name, as they are now. */
  entries(): Promise<ReadonlyMap<string, CatalogueEntry>>;
  close(): void;
}

/** The catalogue by dotted names. What it offers is asked for once, and again after it changed. */
export function knownTools(catalogue: Catalogue): KnownTools {
  let known: ReadonlyMap<string, CatalogueEntry> | undefined;
  const stopListening = catalogue.onChange(({ kind }) => {
    if (kind === 'tools') known = undefined;
  });
  const entries = async (): Promise<ReadonlyMap<string, CatalogueEntry>> => {
    if (known) return known;
    const listed = new Map((await catalogue.entries()).map((entry) => [entry.name, entry]));
    // A server that could not be listed is asked again next time.
    if ((catalogue.failures?.() ?? []).length === 0) known = listed;
    return listed;
  };
  return {
    entries,
    close: stopListening,
    caller: {
      find: (name) => (known ? known.get(name) : entries().then((listed) => listed.get(name))),
      call(name, args, context) {
        const call = (listed: ReadonlyMap<string, CatalogueEntry>): Promise<ToolResult> =>
          catalogue.callTool(listed.get(name)?.wireName ?? name, args, context);
        return known ? call(known) : entries().then(call);
      },
    },
  };
}
