/** Counts who watches which resource, so that the server is told once of the first and of the last. */
export class ResourceWatches {
  readonly #watchers = new Map<string, number>();
  readonly #onChange: (uri: string, isWatched: boolean) => void;

  constructor(onChange: (uri: string, isWatched: boolean) => void) {
    this.#onChange = onChange;
  }

  get uris(): string[] {
    return [...this.#watchers.keys()];
  }

  has(uri: string): boolean {
    return this.#watchers.has(uri);
  }

  /** The returned function ends it; calling it twice does nothing more. */
  add(uri: string): () => void {
    const before = this.#watchers.get(uri) ?? 0;
    this.#watchers.set(uri, before + 1);
    if (before === 0) this.#onChange(uri, true);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#watchers.get(uri) ?? 1) - 1;
      if (left > 0) {
        this.#watchers.set(uri, left);
        return;
      }
      this.#watchers.delete(uri);
      this.#onChange(uri, false);
    };
  }
}
