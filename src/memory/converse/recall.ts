import type { Turn } from '../../contract/session/index.ts';
import { type Log, onceFor, orAborted, reportError } from '../../kernel/index.ts';
import type { ScoredItem } from '../items/memory-item-store.ts';
import { fullWordScore, fuse, smooth } from '../search/rank-items.ts';
import { wordsOf } from './words.ts';

/** Vectors of length 1 whose directions are close when the texts mean similar things. */
export interface Embed {
  /** What is looked for; of a text that comes once. */
  query(text: string, signal: AbortSignal): Promise<Float32Array>;
  /** What is looked through; the same texts come again with each turn, so they are better kept. */
  passages(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}

interface RecallOptions {
  readonly embed?: Embed | undefined;
  /** How long meanings are waited for; without them words alone decide. */
  readonly patienceMs: number;
  readonly log: Log;
}

/** A turn that seems to be asked about, and the part of it that does. */
interface Recalled {
  readonly turn: Turn;
  readonly passage: string;
}

const maxRecalled = 6;
/** So many by meaning alone: words that come up in many turns must not push out the one that is meant. */
const maxByMeaning = 2;
/** Below both a passage has to do with the message by chance. */
const minWordScore = 0.3;
const minSimilarity = 0.27;
/** The one that is closest in meaning is given the benefit of the doubt. */
const minSimilarityOfOne = 0.18;
/** A question that was asked before is close to one that is asked again, and answers nothing. */
const questionWeight = 0.6;
/** What is pasted behind the question does not ask. */
const maxMessageLength = 4_000;
const maxQueryLength = 1_000;
const maxPassages = 20_000;
const maxEmbedded = 2_000;
/** What a round has found counts, also when the time is up in the next. */
const passagesPerRound = 32;
/** Passages that share their score with the turns around them. */
const maxSharing = 60;
/** Passages that share more of their words than this say the same. */
const maxOverlap = 0.8;

/** Finds the turns a message asks about: by its words, and by its meaning where that is possible. */
export function createRecall(options: RecallOptions) {
  // Turns never change, so each is taken apart once while its session is open.
  const passagesOnce = onceFor((turn: Turn) => passagesOf(turn));
  return async (
    turns: readonly Turn[],
    message: string,
    signal: AbortSignal,
  ): Promise<readonly Recalled[]> => {
    const asked = wordsOf(message.slice(0, maxMessageLength));
    // "Yes, please" is about nothing that was said earlier.
    if (turns.length === 0 || asked.length === 0) return [];
    const passages = turns.flatMap((turn) => passagesOnce(turn)).slice(0, maxPassages);
    const words = rankPassages(passages, asked);
    const meanings = await similarities({ passages, words, message, signal }, options);
    return withAnswers(best(passages, words, meanings), turns);
  };
}

interface Search {
  readonly passages: readonly Passage[];
  readonly words: ReadonlyMap<Passage, number>;
  readonly message: string;
  readonly signal: AbortSignal;
}

async function similarities(
  { passages, words, message, signal }: Search,
  { embed, patienceMs, log }: RecallOptions,
): Promise<ReadonlyMap<Passage, number>> {
  const found = new Map<Passage, number>();
  // A request seldom asks about the past in other words, and each comparison adds to the response time.
  if (!embed || passages.length === 0 || !asksSomething(message)) return found;
  const within = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  // Where there is no time for all, those that share words with the message and the latest ones.
  const chosen = [...passages]
    .sort((a, b) => (words.get(b) ?? 0) - (words.get(a) ?? 0) || b.turn.number - a.turn.number)
    .slice(0, maxEmbedded);
  try {
    // The embedder may be busy and notice much later that the time is up.
    const query = await orAborted(embed.query(message.slice(0, maxQueryLength), within), within);
    for (let from = 0; from < chosen.length; from += passagesPerRound) {
      const round = chosen.slice(from, from + passagesPerRound);
      const texts = round.map(({ text }) => text);
      const vectors = await orAborted(embed.passages(texts, within), within);
      for (const [index, passage] of round.entries()) {
        found.set(passage, similarity(query, vectors[index] ?? new Float32Array()));
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    log.debug('semantic recall incomplete', { error: reportError(error) });
  }
  return found;
}

function similarity(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, number, index) => sum + number * (b[index] ?? 0), 0);
}

/** The best passage of each turn: those closest in meaning, then the best by all there is to go by. */
function best(
  passages: readonly Passage[],
  words: ReadonlyMap<Passage, number>,
  meanings: ReadonlyMap<Passage, number>,
): Recalled[] {
  const isShared = (passage: Passage): boolean => (words.get(passage) ?? 0) >= minWordScore;
  const scores = scoresOf(passages, words, meanings);
  const found = passages.flatMap((passage) => {
    const meaning = meanings.get(passage) ?? 0;
    if (!isShared(passage) && meaning < minSimilarityOfOne) return [];
    const weight = isQuestion(passage.text) ? questionWeight : 1;
    const score = (scores.get(passage) ?? 0) * weight;
    return [{ passage, meaning: meaning * weight, score }];
  });
  const [nearest, ...others] = found.toSorted((a, b) => b.meaning - a.meaning);
  const near = others.filter(({ meaning }) => meaning >= minSimilarity);
  const ranked = found
    .filter(({ passage, meaning }) => isShared(passage) || meaning >= minSimilarity)
    .sort((a, b) => b.score - a.score);
  const chosen: Passage[] = [];
  const choose = (candidates: readonly { readonly passage: Passage }[], max: number): void => {
    for (const { passage } of candidates) {
      if (chosen.length >= max) return;
      if (!chosen.some((other) => isSame(other, passage))) chosen.push(passage);
    }
  };
  choose(ranked, 1);
  if (nearest && meanings.size > 0) choose([nearest, ...near], 1 + maxByMeaning);
  choose(ranked, maxRecalled);
  return chosen.map(({ turn, text }) => ({ turn, passage: text }));
}

/** Ranks as a search in memory does: words and meaning as one score, shared with the turns around. */
function scoresOf(
  passages: readonly Passage[],
  words: ReadonlyMap<Passage, number>,
  meanings: ReadonlyMap<Passage, number>,
): ReadonlyMap<Passage, number> {
  const idOf = new Map(passages.map((passage, index) => [passage, String(index)]));
  const scored = (scores: ReadonlyMap<Passage, number>, scale: number): ScoredItem[] =>
    [...scores]
      .map(([passage, score]) => ({ id: idOf.get(passage) ?? '', score: score * scale }))
      .sort((a, b) => b.score - a.score);
  const fits = fuse(scored(words, fullWordScore), scored(meanings, 1));
  const byTurn = Map.groupBy(passages, ({ turn }) => turn.number);
  const fitOf = (passage: Passage): number => fits.get(idOf.get(passage) ?? '')?.score ?? 0;
  const matches = passages.filter((passage) => fitOf(passage) > 0);
  const best = matches.sort((a, b) => fitOf(b) - fitOf(a)).slice(0, maxSharing);
  const neighbours = best.flatMap((match) =>
    [-2, -1, 1, 2].flatMap((distance) =>
      (byTurn.get(match.turn.number + distance) ?? []).map((passage) => ({
        id: idOf.get(passage) ?? '',
        of: idOf.get(match) ?? '',
        distance,
      })),
    ),
  );
  const smoothed = smooth(fits, neighbours);
  return new Map(passages.map((passage, at) => [passage, smoothed.get(String(at))?.score ?? 0]));
}

function isSame(a: Passage, b: Passage): boolean {
  if (a.turn === b.turn) return true;
  const shared = [...a.words.keys()].filter((word) => b.words.has(word)).length;
  return shared > maxOverlap * Math.max(a.words.size, b.words.size);
}

/** What was asked once is understood with what came back. */
function withAnswers(recalled: readonly Recalled[], turns: readonly Turn[]): Recalled[] {
  const all = new Map<number, Recalled>();
  for (const one of recalled) {
    const { number } = one.turn;
    if (!all.has(number)) all.set(number, one);
    const answer = turns.find((turn) => turn.number === number + 1);
    if (!answer || !isQuestion(one.passage) || all.has(answer.number)) continue;
    const [first] = passagesOf(answer);
    if (first) all.set(answer.number, { turn: answer, passage: first.text });
  }
  return [...all.values()].slice(0, maxRecalled);
}

const questionWord =
  /^(?:what|which|who|whom|whose|when|where|why|how|did|do|does|was|were|is|are|has|have|had|can|could|remind|recall|remember|tell|was|wer|wo|wann|wie|welche[rsn]?|qu[eé]|cu[aá]l|quel(?:le)?s?|quand|o[uù]|comment|come|quando|dove|onde|qual)\b/iu;

/** A question mark anywhere, or a word that questions begin with. */
function asksSomething(message: string): boolean {
  return /[?？]/u.test(message) || questionWord.test(message.trim());
}

function isQuestion(text: string): boolean {
  return text.trimEnd().endsWith('?');
}

/** The usual constants of BM25. */
const saturation = 1.2;
const lengthPenalty = 0.6;
/** A pasted file as a message asks about nothing in particular. */
const maxAskedWords = 64;

/** How much of what was asked each passage holds, from 0 to about 1; passages without any of it are left out. */
function rankPassages(
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
  // A word that no turn contains counts as if half of them had it.
  const known = holders === 0 ? all / 2 : holders;
  return Math.log(1 + (all - known + 0.5) / (known + 0.5));
}

/** A part of a turn that is short enough to be about one thing. */
interface Passage {
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
function passagesOf(turn: Turn): Passage[] {
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
