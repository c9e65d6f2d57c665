import type { Turn } from '../../contract/session/index.ts';
import { onceFor } from '../../kernel/index.ts';
import type { CountTokens } from './token-budget.ts';
import { wordsOf } from './words.ts';

interface Sentence {
  readonly text: string;
  readonly turn: Turn;
  /** Its position in the turn. */
  readonly at: number;
  readonly words: ReadonlySet<string>;
  /** How much would be lost without it: decisions, names, numbers, open questions. */
  readonly weight: number;
}

interface Wanted {
  readonly maxTokens: number;
  /** A summary of these turns that goes with them: only what it lacks is chosen. */
  readonly known: string;
}

/** Longer conversations are gone through from both ends as far as this. */
const maxTurns = 4_000;
const maxChosen = 100;
/** Sentences that did not fit after which no shorter one is looked for. */
const maxMisses = 5;
const maxLength = 240;
const maxTurnLength = 4_000;
/** Sentences that share more than this say the same. */
const maxOverlap = 0.7;
/** A sentence of which a summary has more than this is covered by it. */
const maxCovered = 0.8;
/** Only thanks and small talk stay below this: tokens that are left are used. */
const minWeight = -1.5;

/**
 * Gives the sentences of turns that hold decisions, names, numbers and open questions, in the order they were
 * said and within a number of tokens. Word for word: no model takes part.
 */
export function createSummarizer(
  countTokens: CountTokens,
): (turns: readonly Turn[], wanted: Wanted) => readonly string[] {
  // Turns never change, so each is taken apart once while its session is open.
  const sentencesOnce = onceFor((turn: Turn) => sentencesOf(turn));
  const wordsOnce = onceFor(
    ({ text }: Turn): ReadonlySet<string> => new Set(wordsOf(text.slice(0, maxTurnLength))),
  );
  return (turns, { maxTokens, known }) => {
    const within = spread(turns);
    const summary = { text: known, words: new Set(wordsOf(known)) };
    const ranked = within
      .flatMap((turn, at) => {
        const before = within[at - 1];
        const around = { said: before && wordsOnce(before), answer: within[at + 1]?.text ?? '' };
        return sentencesOnce(turn).map((one) => inContext(one, around));
      })
      .filter((one) => one.weight >= minWeight && (known === '' || !isCovered(one, summary)))
      .sort((a, b) => b.weight - a.weight);
    return fill(ranked, (lines) => countTokens(lines.join('\n')) <= maxTokens);
  };
}

/** The weightiest first, as long as the lines they make fit. */
function fill(ranked: readonly Sentence[], fits: (lines: readonly string[]) => boolean): string[] {
  const chosen: Sentence[] = [];
  let lines: string[] = [];
  let misses = 0;
  for (const sentence of ranked) {
    if (chosen.length >= maxChosen || misses >= maxMisses) break;
    if (chosen.some((other) => isSame(other, sentence))) continue;
    const more = linesOf([...chosen, sentence]);
    if (!fits(more)) {
      misses += 1;
      continue;
    }
    chosen.push(sentence);
    lines = more;
  }
  return lines;
}

/** A line for each stretch of a turn: what stands beside each other stays so, word for word. */
function linesOf(chosen: readonly Sentence[]): string[] {
  const lines: string[] = [];
  let last: Sentence | undefined;
  for (const one of chosen.toSorted((a, b) => a.turn.number - b.turn.number || a.at - b.at)) {
    const { turn, text, at } = one;
    if (last?.turn === turn && last.at === at - 1) lines.push(`${lines.pop() ?? ''} ${text}`);
    else lines.push(`${turn.role} (turn ${turn.number}): ${text}`);
    last = one;
  }
  return lines;
}

function spread(turns: readonly Turn[]): readonly Turn[] {
  if (turns.length <= maxTurns) return turns;
  return [...turns.slice(0, maxTurns / 2), ...turns.slice(-maxTurns / 2)];
}

function sentencesOf(turn: Turn): Sentence[] {
  const sentences = turn.text
    .slice(0, maxTurnLength)
    .split(/(?<=[.!?]) |\n/)
    .map((part, at) => ({ text: part.trim(), at }))
    .filter(({ text }) => text.length <= maxLength)
    .map(({ text, at }) => {
      const words = new Set(wordsOf(text));
      return { text, turn, at, words, weight: weightOf(text, turn) };
    })
    .filter(({ words }) => words.size > 0);
  // "That is the catalogue. It moves first": the second is nothing without the first.
  return sentences.map((one, index) => {
    const next = sentences[index + 1];
    if (next?.at !== one.at + 1) return one;
    // "Do we need it? The committee will vote": a question that is open as the next sentence says.
    const isOpen = one.text.endsWith('?') && open.test(next.text);
    const isMeant = isOpen || pointing.test(next.text);
    return isMeant ? { ...one, weight: Math.max(one.weight, next.weight) } : one;
  });
}

const pointing = /^(?:it|they|she|he|that|this|these|those|both)\b/i;

/** What was settled, and what has to hold. */
const settled =
  /\b(?:decid\w+|decision|agree[ds]?|settled|cho(?:se|sen|ice)|went with|go with|we will|we'll|will be|let'?s|must|mandatory|required?|insists?|always|never|only|at (?:most|least)|instead|no longer|not (?!sure|bad)\w+|stays?|keeps?|drop(?:ped)?|except|until|before|prefers?|wants?|needs?|limit|goal|target|rule)\b/gi;
/** What is not settled yet. */
const open =
  /\b(?:still|(?:not|n't|never) (?:yet |been |have |been )*(?:decided|settled|answered|clear|sure|figured|measured|replied|known)|yet|open (?:point|question)|undecided|unsure|unclear|whether|no idea|no(?:body| one)|find out|ask|vote|negotiat\w+|tbd|to ?do|who (?:can|maintains|owns|decides)|later)\b/i;
/** Who or what something is. */
const naming =
  /\b(?:called|named|name is|owns?|owner|contact|is (?:at|on|in|by|from)|comes? from|starts? (?:on|with)|because|by the way|said|makes|uses?|runs|moves|costs?|pays?|takes?|knows)\b/i;
const number = /\d[\d.,:%/]*/g;
/** A capital within the sentence, a path, a host, an identifier. */
const name =
  /(?<=[\p{L}\p{N},;:] )\p{Lu}[\p{L}\p{N}&'-]+|[\w-]+[@./_][\w./@-]*\w|#\w+|[a-z]+[A-Z]\w+/gu;
/** Asks for work: what counts is the result. */
const request =
  /^(?:(?:ok|okay|yes|and|now|then|please|great|fine|good|sure),? )*(?:please |(?:can|could|would) you )?(?:add|check|build|change|commit|convert|create|delete|deploy|describe|do|evaluate|explain|find|fix|format|generate|give|go|ignore|improve|list|look|make|measure|move|open|optimi[sz]e|put|refactor|remove|rename|review|rewrite|run|save|scan|search|show|split|summari[sz]e|test|translate|try|tell|update|write)\b/i;
/** What the assistant says of work that is done. */
const report =
  /^(?:done|here (?:is|are)|there (?:is|are)|i |it (?:is|was|has|passed|returned|opens)|all |both |added|formatted|renamed|removed|updated|written|split|scanned|generated|deployed|noted|understood|then )/i;

const maxCounted = 3;
/** "Looks good." */
const shortLength = 24;

/** Decisions, open questions, names and numbers; less where it only asks for work or tells of it. */
function weightOf(text: string, { role }: Turn): number {
  const isQuestion = text.endsWith('?');
  const facts =
    1.5 * Math.min(2, countOf(text, settled)) +
    (open.test(text) ? 2 : 0) +
    (naming.test(text) ? 1 : 0) +
    0.8 * Math.min(maxCounted, countOf(text, number)) +
    0.8 * Math.min(maxCounted, countOf(text, name));
  const asked = isQuestion && !open.test(text) ? -2.5 : 0;
  const work = request.test(text) ? -2 : 0;
  const hasDetail = countOf(text, number) + countOf(text, name) > 0;
  const short = text.length < shortLength && !hasDetail ? -1.5 : 0;
  const told = role === 'user' ? 1 : report.test(text) ? -2 : -1;
  return facts + asked + work + short + told;
}

const unanswered = /\b(?:do not know|don't know|not sure|for now|open|noted?|later|should be)\b/i;

/** A question that was not answered is open; what only repeats the turn before says nothing new. */
function inContext(
  sentence: Sentence,
  { said, answer }: { readonly said: ReadonlySet<string> | undefined; readonly answer: string },
): Sentence {
  const { turn, text, words, weight } = sentence;
  if (turn.role === 'user') {
    const isOpen = text.endsWith('?') && unanswered.test(answer);
    return isOpen ? { ...sentence, weight: weight + 4 } : sentence;
  }
  const fresh = [...words].filter((word) => said?.has(word) !== true).length / words.size;
  return fresh < 0.6 ? { ...sentence, weight: weight - 2 } : sentence;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** "Port 1" and "port 2" are two things, however alike. */
function isSame(a: Sentence, b: Sentence): boolean {
  if (overlap(a, b) <= maxOverlap) return false;
  const [inA, inB] = [a, b].map(({ text }) => text.match(number)?.join(' '));
  return inA === inB;
}

function isCovered(one: Sentence, by: Worded & { readonly text: string }): boolean {
  const details = [...(one.text.match(number) ?? []), ...(one.text.match(name) ?? [])];
  return overlap(one, by) > maxCovered && details.every((detail) => by.text.includes(detail));
}

type Worded = Pick<Sentence, 'words'>;

/** The share of the words of the shorter that the other has, too. */
function overlap(a: Worded, b: Worded): number {
  const [less, more] = a.words.size < b.words.size ? [a.words, b.words] : [b.words, a.words];
  const both = [...less].filter((word) => more.has(word)).length;
  return less.size === 0 ? 0 : both / less.size;
}
