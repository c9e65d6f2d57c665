import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RecentValues, type Clock } from '../../kernel/index.ts';
import { indexLibrary, type LibraryIndex } from './library-index.ts';
import type { Library } from './library.ts';
import { docsLimits, type DocsLimits } from './limits.ts';

/** Indexes made when first asked for; the least recently used go when there is too much text in all. */
export class IndexCache {
  readonly #recent: RecentValues<{ readonly stamp: string; readonly index: Promise<LibraryIndex> }>;
  readonly #clock: Clock;
  readonly #limits: DocsLimits;

  constructor(clock: Clock, limits: DocsLimits = docsLimits) {
    this.#recent = new RecentValues(limits.maxIndexedChars);
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Concurrent requests share one index; a package that was installed anew gets a new one. */
  async get(library: Library): Promise<LibraryIndex> {
    const key = `${library.id} ${library.realFolder}`;
    const stamp = await stampOf(library);
    const kept = this.#recent.get(key);
    if (kept?.stamp === stamp) return kept.index;
    const index = indexLibrary(library, this.#clock, this.#limits);
    this.#recent.set(key, { stamp, index });
    const size = await index.then(
      ({ chars }) => chars,
      () => Infinity,
    );
    this.#recent.set(key, { stamp, index }, size);
    return index;
  }
}

/** Changes when the package is installed anew: its folder or its manifest was written then. */
async function stampOf({
  realFolder,
  parts = ['package.json', 'README.md'],
}: Library): Promise<string> {
  const paths = [realFolder, ...parts.map((part) => join(realFolder, part))];
  const times = await Promise.all(
    paths.map(async (path) => {
      const info = await stat(path).catch(() => undefined);
      return info ? `${info.mtimeMs}:${info.size}` : '';
    }),
  );
  return times.join(' ');
}
