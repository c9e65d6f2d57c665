import type { Turn } from '../../contract/session/index.ts';
import { onceFor } from '../../kernel/index.ts';
import { wordsOf } from './words.ts';

interface Sentence {
  readonly text: string;
  readonly turn: Turn;
  readonly words: ReadonlySet<string>;
  /** How much it says apart from what the others say. */
  readonly weight: number;
}

/** Long conversations are gone through from both ends as far as this. */
const maxTurns = 400;
const maxSentences = 2_000;
const maxChosen = 12;
const minWords = 3;
const maxLength = 240;
const maxTurnLength = 4_000;
/** Sentences that share more than this say the same. */
const maxOverlap = 0.6;

const decision =
  /\b(?:decided|decision|agreed|must|always|never|let's|we will|we'll|prefer|called|named|instead)\b/i;
const detail = /\d|`|[A-Za-z]+[./_][A-Za-z]+|[a-z][A-Z]/;

/**
 * Gives the sentences of turns that say most, in the order they were said. Made of what was said, word
 * for word: no model takes part.
 */
export function createSummarizer(): (turns: readonly Turn[]) => readonly string[] {
  // Turns never change, so each is taken apart once while its session is open.
  const sentencesOnce = onceFor((turn: Turn) => sentencesOf(turn));
  return (turns) => {
    const sentences = spread(turns)
      .flatMap((turn) => sentencesOnce(turn))
      .slice(0, maxSentences);
    return choose(sentences)
      .sort((a, b) => a.turn.number - b.turn.number)
      .map(({ turn, text }) => `${turn.role} (turn ${turn.number}): ${text}`);
  };
}

function choose(sentences: readonly Sentence[]): Sentence[] {
  const holders = new Map<string, number>();
  for (const { words } of sentences) {
    for (const word of words) holders.set(word, (holders.get(word) ?? 0) + 1);
  }
  const ranked = sentences
    .map((sentence) => ({ sentence, score: scoreOf(sentence, holders) }))
    .sort((a, b) => b.score - a.score);
  const chosen: Sentence[] = [];
  for (const { sentence } of ranked) {
    if (chosen.length >= maxChosen) break;
    if (chosen.every((other) => overlap(other, sentence) <= maxOverlap)) chosen.push(sentence);
  }
  return chosen;
}

function spread(turns: readonly Turn[]): readonly Turn[] {
  if (turns.length <= maxTurns) return turns;
  return [...turns.slice(0, maxTurns / 2), ...turns.slice(-maxTurns / 2)];
}

function sentencesOf(turn: Turn): Sentence[] {
  return turn.text
    .slice(0, maxTurnLength)
    .split(/(?<=[.!?])\s|\n/)
    .map((part) => part.trim())
    .filter((part) => part.length <= maxLength)
    .map((text) => ({ text, turn, words: new Set(wordsOf(text)), weight: weightOf(text, turn) }))
    .filter(({ words }) => words.size >= minWords);
}

/** What the conversation keeps coming back to. */
function scoreOf({ words, weight }: Sentence, holders: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const word of words) sum += Math.log(1 + (holders.get(word) ?? 1));
  return (weight * sum) / (words.size + minWords);
}

/** What was settled, and what has a name or a number. */
function weightOf(text: string, { role }: Turn): number {
  const user = role === 'user' ? 1.3 : 1;
  const settled = decision.test(text) ? 1.5 : 1;
  const exact = detail.test(text) ? 1.3 : 1;
  const asked = text.endsWith('?') ? 0.4 : 1;
  return user * settled * exact * asked;
}

function overlap(a: Sentence, b: Sentence): number {
  const both = [...a.words].filter((word) => b.words.has(word)).length;
  return both / Math.min(a.words.size, b.words.size);
}
