type Fields = Iterable<readonly [string, string]> | Readonly<Record<string, string>>;

/**
 * Names and values of headers, whatever the case of the names. As much of the platform's `Headers` as the AI SDK and we use;
 * the platform's own would load the HTTP client it belongs to, which takes as long as starting Node. The build puts it in its
 * place within the AI SDK. Values are checked when a request is sent.
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
