/** First in, first out; what was taken out is let go of in bulk, so that both ends cost the same. */
export class Queue<Item> {
  readonly #items: (Item | undefined)[] = [];
  #head = 0;

  push(item: Item): void {
    this.#items.push(item);
  }

  take(): Item | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    }
    return item;
  }
}
