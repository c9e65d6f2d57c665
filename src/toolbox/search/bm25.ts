/** A part of a document and how much a word in it counts. */
export interface Field {
  readonly words: readonly string[];
  readonly weight: number;
}

/** How fast more of the same word stops counting. */
export const saturation = 1.2;

/** How often each word occurs, by the weights of the fields it occurs in. */
export function countWords(fields: readonly Field[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { words, weight } of fields) {
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + weight);
  }
  return counts;
}

/** How much a word says that so many of so many documents hold. */
export function rarityOf(holders: number, documents: number): number {
  return Math.log(1 + (documents - holders + 0.5) / (holders + 0.5));
}

export interface Occurrence {
  readonly count: number;
  /** The document's length by that of the average. */
  readonly relativeLength: number;
  /** How much long documents are held back, from 0 to 1. */
  readonly lengthPenalty: number;
}

/** How present a word is in a document: from 0 to `saturation + 1`. */
export function presenceOf({ count, relativeLength, lengthPenalty }: Occurrence): number {
  const brake = saturation * (1 - lengthPenalty + lengthPenalty * relativeLength);
  return (count * (saturation + 1)) / (count + brake);
}
