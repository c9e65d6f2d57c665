import type { Passage } from './passages.ts';

/** The usual constants of BM25. */
const saturation = 1.2;
const lengthPenalty = 0.6;
/** A pasted file as a message asks about nothing in particular. */
const maxAskedWords = 64;

/** How much of what was asked each passage holds, from 0 to about 1; passages without any of it are left out. */
export function rankPassages(
  passages: readonly Passage[],
  asked: readonly string[],
): Map<Passage, number> {
  const scores = new Map<Passage, number>();
  const words = [...new Set(asked)].slice(0, maxAskedWords);
  const averageLength = passages.reduce((sum, { length }) => sum + length, 0) / passages.length;
  let best = 0;
  for (const word of words) {
    const holders = passages.filter((passage) => passage.words.has(word));
    const rarity = rarityOf(holders.length, passages.length);
    best += rarity;
    for (const passage of holders) {
      const count = passage.words.get(word) ?? 0;
      const relativeLength = passage.length / averageLength;
      const slowness = saturation * (1 - lengthPenalty + lengthPenalty * relativeLength);
      const presence = count / (count + slowness);
      scores.set(passage, (scores.get(passage) ?? 0) + rarity * presence);
    }
  }
  // Of a passage of usual length that holds every word once.
  const whole = best / (1 + saturation);
  return new Map([...scores].map(([passage, score]) => [passage, whole === 0 ? 0 : score / whole]));
}

function rarityOf(holders: number, all: number): number {
  // A word nobody has said yet cannot be asked for: it counts as if half of them had it.
  const known = holders === 0 ? all / 2 : holders;
  return Math.log(1 + (all - known + 0.5) / (known + 0.5));
}
