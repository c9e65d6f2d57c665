import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kernel/index.ts';
import { indexLibrary, type LibraryIndex } from './library-index.ts';
import type { Library } from './library.ts';
import { docsLimits, type DocsLimits } from './limits.ts';

interface Kept {
  readonly stamp: string;
  readonly index: Promise<LibraryIndex>;
  /** Known when it is built. */
  chars: number;
}

/** Indexes made when first asked for and kept while they are used, the latest ones. */
export class IndexCache {
  readonly #kept = new Map<string, Kept>();
  readonly #clock: Clock;
  readonly #limits: DocsLimits;

  constructor(clock: Clock, limits: DocsLimits = docsLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Two that ask at once share one index; a package that was installed anew gets a new one. */
  async get(library: Library): Promise<LibraryIndex> {
    const key = `${library.id} ${library.realFolder}`;
    const stamp = await stampOf(library);
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    if (kept?.stamp === stamp) {
      this.#kept.set(key, kept);
      return kept.index;
    }
    const fresh: Kept = {
      stamp,
      index: indexLibrary(library, this.#clock, this.#limits),
      chars: 0,
    };
    this.#kept.set(key, fresh);
    try {
      const index = await fresh.index;
      fresh.chars = index.chars;
      this.#trim();
      return index;
    } catch (error) {
      if (this.#kept.get(key) === fresh) this.#kept.delete(key);
      throw error;
    }
  }

  get size(): number {
    return this.#kept.size;
  }

  #trim(): void {
    let chars = [...this.#kept.values()].reduce((sum, one) => sum + one.chars, 0);
    for (const [key, one] of this.#kept) {
      const isWithin =
        this.#kept.size <= this.#limits.maxIndexes && chars <= this.#limits.maxIndexedChars;
      if (isWithin || this.#kept.size === 1) return;
      this.#kept.delete(key);
      chars -= one.chars;
    }
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
