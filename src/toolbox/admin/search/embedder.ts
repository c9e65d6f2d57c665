/** What turns texts into vectors of length 1 whose product says how similar they are. */
export interface Embedder {
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}
