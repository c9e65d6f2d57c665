import { join } from 'node:path';
import type { Settings } from '../config/index.ts';
import type { CatalogueEntry } from '../contract/catalogue/index.ts';
import type { Log } from '../kernel/index.ts';
import type { ToolSearch } from '../toolbox/admin/index.ts';

export interface ToolFinderParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly entries: () => Promise<readonly CatalogueEntry[]>;
}

/** The one search of this process, made when it is first used. */
export interface ToolFinder {
  readonly search: () => Promise<ToolSearch>;
  /** For somebody who waits at a terminal: takes the time a small fleet needs to be embedded. */
  find(query: string, count: number): Promise<readonly CatalogueEntry[]>;
  close(): Promise<void>;
}

const patience = { toolsMs: 5_000, queryMs: 5_000 };

export function openToolFinder({ settings, log, entries }: ToolFinderParts): ToolFinder {
  let opening: Promise<{ search: ToolSearch; close(): Promise<void> }> | undefined;
  const open = async () => {
    const [{ ToolSearch: Search }, { createCachedEmbedder, createLocalEmbedder }] =
      await Promise.all([import('../toolbox/admin/index.ts'), import('../models/index.ts')]);
    const queries = createLocalEmbedder();
    const path = join(settings.home, 'models', 'minilm-l6-v2.vectors');
    const tools = createCachedEmbedder(queries, { path, log });
    const search = new Search({ entries, tools, queries, log });
    return {
      search,
      close: () => {
        search.close();
        return queries.close();
      },
    };
  };
  const search = async (): Promise<ToolSearch> => (await (opening ??= open())).search;
  return {
    search,
    find: async (query, count) => {
      const { signal } = new AbortController();
      const found = await (await search()).find({ query, count, signal, patience });
      return found.tools.map(({ entry }) => entry);
    },
    close: async () => (await opening)?.close(),
  };
}
