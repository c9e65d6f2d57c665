import { phraseFamilies, type PhraseFamily } from '../words/lexicon/phrases.ts';
import { phraseVectors } from '../words/lexicon/phrase-vectors.ts';

export interface FamilyScore {
  readonly family: PhraseFamily;
  /** From -1 to 1; of the phrases that come nearest. */
  readonly score: number;
}

/** How many of a family's phrases have a say. */
const nearestPhrases = 2;

/** The families of phrases by how near a text is to them, nearest first. */
export function nearestFamilies(vector: Float32Array): readonly FamilyScore[] {
  // The keys are the families' names.
  const families = Object.keys(phraseFamilies) as PhraseFamily[];
  return families
    .map((family) => ({ family, score: scoreOf(phraseFamilies[family], vector) }))
    .toSorted((a, b) => b.score - a.score);
}

function scoreOf(phrases: readonly string[], vector: Float32Array): number {
  const scores = phrases
    .map((phrase) => likeness(vectorOf(phrase), vector))
    .toSorted((a, b) => b - a)
    .slice(0, nearestPhrases);
  return scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length);
}

/** Stored as bytes in base 64; only its direction counts. */
export function vectorOf(phrase: string): Int8Array {
  return new Int8Array(Buffer.from(phraseVectors[phrase] ?? '', 'base64'));
}

/** The cosine of the angle between two directions. */
export function likeness(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let product = 0;
  let ones = 0;
  let others = 0;
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const a = one[at] ?? 0;
    const b = other[at] ?? 0;
    product += a * b;
    ones += a * a;
    others += b * b;
  }
  return ones === 0 || others === 0 ? 0 : product / Math.sqrt(ones * others);
}
