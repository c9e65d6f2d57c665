/** Documents by the vectors of their passages. A document is as close to a query as its closest passage. */
export class MeaningIndex {
  readonly #documents = new Map<string, readonly Float32Array[]>();

  has(id: string): boolean {
    return this.#documents.has(id);
  }

  put(id: string, passages: readonly Float32Array[]): void {
    this.#documents.set(id, passages);
  }

  remove(id: string): void {
    this.#documents.delete(id);
  }

  /** How close each document is, from -1 to 1. */
  compare(query: Float32Array): Map<string, number> {
    const closeness = new Map<string, number>();
    for (const [id, passages] of this.#documents) {
      closeness.set(id, Math.max(...passages.map((passage) => dotProduct(query, passage))));
    }
    return closeness;
  }
}

function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}
