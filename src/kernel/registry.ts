/**
 * Values by text that come and go by the hundreds, in the order they came but for texts that are whole numbers. A Map leaves a table behind whenever
 * it grows or shrinks, with all that was in it and a link to the next one: once one of them is among the
 * old objects, all that was ever in the map stays until the next full collection, and is copied there.
 */
export class Registry<Value> {
  /** Without a prototype: any text may be a key. */
  readonly #values: Record<string, Value> = Object.create(null);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): Value | undefined {
    return this.#values[key];
  }

  has(key: string): boolean {
    return key in this.#values;
  }

  set(key: string, value: Value): void {
    if (!this.has(key)) this.#size += 1;
    this.#values[key] = value;
  }

  delete(key: string): void {
    if (!this.has(key)) return;
    delete this.#values[key];
    this.#size -= 1;
  }

  clear(): void {
    for (const key in this.#values) delete this.#values[key];
    this.#size = 0;
  }

  /** What is deleted meanwhile is left out. */
  *values(): Generator<Value, void, undefined> {
    for (const key in this.#values) {
      const value = this.#values[key];
      if (value !== undefined) yield value;
    }
  }
}
