import type { Embedder } from './embedder.ts';
import { VectorFile, type VectorFileOptions } from './vector-file.ts';

/** How many texts are embedded before what was gained is kept. */
const textsPerRound = 16;
const defaultMaxVectors = 8_192;

export interface VectorCacheOptions extends Pick<VectorFileOptions, 'path' | 'log'> {
  readonly maxVectors?: number;
}

/** Embeds a text once: what it is given again, by this or a later process, comes from the file. */
export function createCachedEmbedder(embedder: Embedder, options: VectorCacheOptions): Embedder {
  const { dimensions } = embedder;
  const file = new VectorFile({ maxVectors: defaultMaxVectors, dimensions, ...options });
  return {
    dimensions,
    embed: async (texts, signal) => {
      const vectors = await file.find(texts);
      const missing = texts.map((text, at) => ({ text, at })).filter(({ at }) => !vectors[at]);
      for (let from = 0; from < missing.length; from += textsPerRound) {
        const round = missing.slice(from, from + textsPerRound);
        const made = await embedder.embed(
          round.map(({ text }) => text),
          signal,
        );
        const kept = round.flatMap(({ text, at }, index) => {
          const vector = made[index];
          vectors[at] = vector;
          return vector ? [{ text, vector }] : [];
        });
        await file.keep(kept);
      }
      return vectors.flatMap((vector) => vector ?? []);
    },
    close: () => embedder.close(),
  };
}
