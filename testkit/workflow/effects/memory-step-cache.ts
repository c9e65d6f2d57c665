import type {
  CachedResult,
  CacheKey,
  StepCache,
} from '../../../src/workflow/effects/effect-ports.ts';

/** The cache as the port promises it, in memory. */
export class MemoryStepCache implements StepCache {
  readonly #results = new Map<string, CachedResult>();

  async find(key: CacheKey): Promise<CachedResult | undefined> {
    return this.#results.get(textOf(key));
  }

  async put(key: CacheKey, result: CachedResult): Promise<void> {
    this.#results.set(textOf(key), structuredClone(result));
  }

  async prune(bounds: { readonly beforeMs: number; readonly maxEntries: number }): Promise<number> {
    const oldestFirst = [...this.#results].toSorted(([, a], [, b]) => a.storedAtMs - b.storedAtMs);
    const before = this.#results.size;
    for (const [key, { storedAtMs }] of oldestFirst) {
      const isTooMany = this.#results.size > bounds.maxEntries;
      if (storedAtMs < bounds.beforeMs || isTooMany) this.#results.delete(key);
    }
    return before - this.#results.size;
  }
}

function textOf({ callerId, tool, argumentsDigest }: CacheKey): string {
  return JSON.stringify([callerId, tool, argumentsDigest]);
}
