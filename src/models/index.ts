export { createCachedEmbedder } from './cached-embedder.ts';
export { createLocalEmbedder } from './local-embedder.ts';
