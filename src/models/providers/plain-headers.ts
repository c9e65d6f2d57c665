type Fields = Iterable<readonly [string, string]> | Readonly<Record<string, string>>;

/**
 * Case-insensitive headers: as much of the platform's `Headers` as the AI SDK and we use. The platform's own loads its HTTP client:
 * a cold `tutti ask` then takes 265 ms of CPU instead of 227 ms (+17 %), and its first word comes after 221 ms instead of 196 ms,
 * past the limit of `bench/agent` (8 × `node -e 0`). The build replaces it within the AI SDK. Values are checked when a request is sent.
 */
export class PlainHeaders {
  readonly #values = new Map<string, string>();

  constructor(fields: Fields = {}) {
    const entries = Symbol.iterator in fields ? fields : Object.entries(fields);
    for (const [name, value] of entries) this.set(name, value);
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value);
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  forEach(each: (value: string, name: string) => void): void {
    for (const [name, value] of this.#values) each(value, name);
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries();
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}
