import type { Turn } from '../../contract/session/index.ts';
import { wordsOf } from './words.ts';

/** A part of a turn that is short enough to be about one thing. */
export interface Passage {
  readonly turn: Turn;
  readonly text: string;
  /** How often each word is in it. */
  readonly words: ReadonlyMap<string, number>;
  readonly length: number;
}

const maxPassageLength = 600;
/** Of a turn with more than this only the beginning can be found again. */
const maxPassagesPerTurn = 64;

/** The parts of a turn, cut where sentences or lines end as far as possible. */
export function passagesOf(turn: Turn): Passage[] {
  const text = [turn.text, ...(turn.questions ?? []), ...turn.remembered.map(({ title }) => title)]
    .join('\n')
    .slice(0, maxPassageLength * maxPassagesPerTurn);
  const passages: Passage[] = [];
  let at = 0;
  while (at < text.length && passages.length < maxPassagesPerTurn) {
    const end = at + endOfPassage(text.slice(at, at + maxPassageLength), text.length - at);
    const part = text.slice(at, end).trim();
    if (part !== '') passages.push(passageOf(turn, part));
    at = end;
  }
  return passages;
}

/** Where the passage that begins this text ends; never before half of it. */
function endOfPassage(beginning: string, left: number): number {
  if (left <= maxPassageLength) return left;
  const half = maxPassageLength / 2;
  const ends = ['\n', '. ', '? ', '! ', '; ', ', ', ' '];
  for (const end of ends) {
    const at = beginning.lastIndexOf(end);
    if (at >= half) return at + end.length;
  }
  return beginning.length;
}

function passageOf(turn: Turn, text: string): Passage {
  const words = new Map<string, number>();
  const all = wordsOf(text);
  for (const word of all) words.set(word, (words.get(word) ?? 0) + 1);
  return { turn, text, words, length: all.length };
}
