/** Turns texts into vectors whose directions are close when the texts mean similar things. */
export interface Embedder {
  readonly dimensions: number;
  /**
   * One vector of length 1 per text, in order. Throws `models.embedding_failed`, or the signal's
   * reason; of a long text only the beginning counts.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
  /** Ends what runs and gives the memory back; using it again starts it again. */
  close(): Promise<void>;
}
