/**
 * Values by text, as long as the texts and the values' own sizes together stay within `maxSize`: those not
 * used for longest go first, a sixteenth of the room at once. What is larger than all of it is not kept.
 */
export class RecentValues<Value> {
  readonly #maxSize: number;
  /** The one that was not used for longest first. */
  readonly #kept = new Map<string, { readonly value: Value; readonly size: number }>();
  #size = 0;
  #newest: string | undefined;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get(key: string): Value | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    if (key !== this.#newest) {
      this.#kept.delete(key);
      this.#kept.set(key, found);
      this.#newest = key;
    }
    return found.value;
  }

  set(key: string, value: Value, ownSize = 0): void {
    this.delete(key);
    const size = key.length + ownSize;
    if (size > this.#maxSize) return;
    this.#kept.set(key, { value, size });
    this.#newest = key;
    this.#size += size;
    if (this.#size > this.#maxSize) this.#makeRoom();
  }

  delete(key: string): void {
    this.#size -= this.#kept.get(key)?.size ?? 0;
    this.#kept.delete(key);
  }

  /** For many: to find its first entry, a map goes past all that were removed since it was last put in order. */
  #makeRoom(): void {
    const wanted = this.#maxSize - Math.floor(this.#maxSize / 16);
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= wanted || oldest === this.#newest) return;
      this.delete(oldest);
    }
  }
}

/** The function, called once for each object as long as that lives. What it throws is not remembered. */
export function onceFor<Key extends object, Value extends object>(
  make: (key: Key) => Value,
): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
