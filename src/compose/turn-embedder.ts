import { join } from 'node:path';
import { lazy, type Log } from '../kernel/index.ts';
import type { Embedder } from '../models/index.ts';

/** Vectors of what was said that are kept: a few hundred long conversations. */
const maxVectors = 16_384;

/** What was said is embedded once, by whichever process; what is asked comes once and is not kept. */
export function embedTurnsWith({
  embedder,
  home,
  log,
}: {
  readonly embedder: () => Promise<Embedder>;
  readonly home: string;
  readonly log: Log;
}) {
  const open = lazy(async () => {
    const [queries, { createCachedEmbedder }] = await Promise.all([
      embedder(),
      import('../models/index.ts'),
    ]);
    const options = { path: turnVectorsPath(home), log, maxVectors };
    return { queries, passages: createCachedEmbedder(queries, options) };
  });
  return {
    query: async (text: string, signal: AbortSignal): Promise<Float32Array> => {
      const { queries } = await open();
      const [vector = new Float32Array()] = await queries.embed([text], signal);
      return vector;
    },
    passages: async (texts: readonly string[], signal: AbortSignal) => {
      const { passages } = await open();
      return passages.embed(texts, signal);
    },
  };
}

/** Where the vectors are. */
export function turnVectorsPath(home: string): string {
  return join(home, 'models', 'minilm-l6-v2.turns.vectors');
}
