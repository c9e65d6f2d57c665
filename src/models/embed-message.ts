/** What the embedder says to its thread, one text at a time. */
export interface ToEmbedThread {
  readonly text: string;
}

/** What the thread answers. */
export type FromEmbedThread =
  | { readonly kind: 'embedded'; readonly vector: Float32Array }
  | { readonly kind: 'failed'; readonly reason: string };
