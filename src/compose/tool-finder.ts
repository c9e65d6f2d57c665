import { join } from 'node:path';
import type { Settings } from '../config/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import type { CatalogueEntry } from '../contract/catalogue/index.ts';
import { lazy, systemTimers, type Lazy, type Log } from '../kernel/index.ts';
import type { Embedder } from '../models/index.ts';
import type { Patience, ToolSearch } from '../toolbox/admin/index.ts';

interface ToolFinderParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly entries: () => Promise<readonly CatalogueEntry[]>;
  readonly embedder: Lazy<Embedder>;
}

/** The one search of this process, made when it is first used. */
export interface ToolFinder {
  readonly search: () => Promise<ToolSearch>;
  /** For a user at a terminal: waits as long as embedding a small fleet takes. */
  find(query: string, count: number, caller?: Caller): Promise<readonly CatalogueEntry[]>;
  /** For a model that chooses among many: what words alone find now beats what meaning finds later. */
  findSoon(query: string, count: number, caller?: Caller): Promise<readonly CatalogueEntry[]>;
  close(): Promise<void>;
}

const longPatience = { toolsMs: 5_000, queryMs: 5_000 };
const shortPatience = { toolsMs: 20, queryMs: 150 };
/** A message in another language shares few words with the tools. */
const enoughFound = 3;
/** Loading the embedding model keeps a processor busy that the first answer needs. */
const meaningAfterMs = 3_000;

export function openToolFinder({ settings, log, entries, embedder }: ToolFinderParts): ToolFinder {
  let cancelOpening: (() => void) | undefined;
  const search = lazy(async (): Promise<ToolSearch> => {
    const [{ ToolSearch: Search }, { createCachedEmbedder }, queries] = await Promise.all([
      import('../toolbox/admin/index.ts'),
      import('../models/index.ts'),
      embedder(),
    ]);
    const path = join(settings.home, 'models', 'minilm-l6-v2.vectors');
    const tools = createCachedEmbedder(queries, { path, log });
    return new Search({ entries, tools, queries, log });
  });
  const searchWords = lazy(async (): Promise<ToolSearch> => {
    const { ToolSearch: Search } = await import('../toolbox/admin/index.ts');
    return new Search({ entries, log });
  });
  const searchSoon = (): Promise<ToolSearch> => {
    const opened = search.opened();
    if (opened) return opened;
    cancelOpening ??= systemTimers.after(meaningAfterMs, () => void search());
    return searchWords();
  };
  const findIn =
    (which: () => Promise<ToolSearch>, patience: Patience) =>
    async (query: string, count: number, caller?: Caller): Promise<readonly CatalogueEntry[]> => {
      const { signal } = new AbortController();
      const wanted = { query, count, signal, patience, ...(caller && { caller }) };
      const found = await (await which()).find(wanted);
      return found.tools.map(({ entry }) => entry);
    };
  const findByWords = findIn(searchWords, shortPatience);
  const findByMeaning = findIn(searchSoon, shortPatience);
  return {
    search,
    find: findIn(search, longPatience),
    async findSoon(query, count, caller) {
      const found = await findByWords(query, count, caller);
      const isEnough = found.length >= Math.min(enoughFound, count);
      return isEnough ? found : findByMeaning(query, count, caller);
    },
    async close() {
      cancelOpening?.();
      (await searchWords.opened())?.close();
      (await search.opened())?.close();
    },
  };
}
