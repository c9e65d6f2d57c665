import type { Embedder } from '../models/index.ts';

/** The one embedding model of this process, loaded when it is first used. */
export interface EmbedderHere {
  readonly open: () => Promise<Embedder>;
  close(): Promise<void>;
}

export function embedderHere(): EmbedderHere {
  const load = async (): Promise<Embedder> =>
    (await import('../models/index.ts')).createLocalEmbedder();
  let opening: Promise<Embedder> | undefined;
  return {
    open: () => (opening ??= load()),
    close: async () => (await opening)?.close(),
  };
}
