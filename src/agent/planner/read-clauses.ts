import type { Guesses } from '../../kernel/index.ts';
import { featuresOf, has, isSignificant, type FoundPath, type Word } from './read-words.ts';

/** A part of the message as it is weighed. */
export interface Stretch {
  readonly words: readonly Word[];
  readonly paths: readonly FoundPath[];
  readonly features: readonly string[];
  readonly isFirst: boolean;
}

/** A stretch that asks for one deed, or for none. */
export interface Clause extends Stretch {
  /** "no tests", "skip the review". */
  readonly isNegated: boolean;
  /** What it may ask for, best first. */
  readonly guesses: Guesses;
  /** "it", "this code", "the attached file". */
  readonly pointsBack: boolean;
}

/** One way to cut the message, with how plausible its cuts are. */
export interface Split {
  readonly clauses: readonly Clause[];
  readonly weight: number;
}

type Judge = (stretch: Stretch) => Guesses;

/** More places to cut than these are not tried: the number of splits doubles with each. */
const maxCuts = 7;
/** How much a new deed is expected behind each connective, and before what. */
const cutWeights = { end: 1.8, sequence: 1.1, join: 1.1, mark: 0.4, negation: 0.3 };
const followWeights = { deed: 0.8, other: -2.1 };

/** `at` is the index of the first word behind it. */
type Cut = Readonly<{ at: number; weight: number; isNegation: boolean }>;

/** All ways to cut the message where a new deed may begin. */
export function splitMessage(words: readonly Word[], judge: Judge): readonly Split[] {
  const cuts = findCuts(words);
  const clauses = new Map<string, Clause>();
  const clause = (from: number, to: number, isNegated: boolean): Clause => {
    const key = `${from} ${to}`;
    const known = clauses.get(key) ?? readClause(words.slice(from, to), from === 0, judge);
    clauses.set(key, known);
    return { ...known, isNegated };
  };
  return Array.from({ length: 2 ** cuts.length }, (_, mask) => {
    const taken = cuts.filter((_cut, bit) => Math.floor(mask / 2 ** bit) % 2 === 1);
    const starts = [{ at: 0, isNegation: has(words[0], 'negation') }, ...taken];
    return {
      clauses: starts.map(({ at, isNegation }, index) =>
        clause(at, starts[index + 1]?.at ?? words.length, isNegation),
      ),
      weight: taken.reduce((sum, { weight }) => sum + weight, 0),
    };
  });
}

function readClause(part: readonly Word[], isFirst: boolean, judge: Judge): Clause {
  // Without the "and" that leads to the next.
  const last = part.findLastIndex((word) => word.text === '?' || connective(word) === undefined);
  const words = part.slice(0, last + 1);
  const named = new Map(words.flatMap(({ path }) => (path ? [[path.path, path] as const] : [])));
  const stretch = { words, paths: [...named.values()], features: featuresOf(words), isFirst };
  const isBack = (word: Word): boolean => has(word, 'pronouns') && !word.path;
  const pointsBack = words.some((word) => isBack(word) || has(word, 'given'));
  return { ...stretch, isNegated: false, guesses: judge(stretch), pointsBack };
}

function findCuts(words: readonly Word[]): readonly Cut[] {
  const kinds = words.map(connective);
  const cuts = words.flatMap((word, at): readonly Cut[] => {
    const [before, kind] = [kinds[at - 1] ?? 'negation', kinds[at]];
    const isNegation = kind === 'negation';
    // A run of connectives ("? and also") is one cut, behind its last.
    const begins = isNegation || (before !== 'negation' && kind === undefined);
    if (!begins || word.kind === 'mark' || !words.slice(0, at).some(isSignificant)) return [];
    const follows = beginsDeed(words.slice(at)) ? followWeights.deed : followWeights.other;
    return [{ at, weight: cutWeights[before] + follows, isNegation }];
  });
  const strongest = cuts.toSorted((a, b) => b.weight - a.weight).slice(0, maxCuts);
  return strongest.toSorted((a, b) => a.at - b.at);
}

function connective(word: Word | undefined): keyof typeof cutWeights | undefined {
  if (!word) return undefined;
  if (word.kind === 'mark') {
    if (/^(?:[.?!;|]|\n+)$/u.test(word.text)) return 'end';
    return /^(?:[,:(+&/)→]|[-=]>)$/u.test(word.text) ? 'mark' : undefined;
  }
  if (has(word, 'sequence', 'before')) return 'sequence';
  if (has(word, 'negation')) return 'negation';
  return has(word, 'joins') ? 'join' : undefined;
}

/** A deed is a verb, or a noun that stands for one: "a parser, tests and a review". */
function beginsDeed(rest: readonly Word[]): boolean {
  const first = rest.find((word) => isSignificant(word) && !has(word, 'negation'));
  const isVerb = first && !first.path && (first.meaning.verbs.length > 0 || has(first, 'light'));
  // "that reads names and sorts them" goes on with what a program does.
  if (isVerb) return !/[^s]s$/u.test(first.plain);
  const ends = ['joins', 'boundary', 'sequence'];
  const end = rest.findIndex((word) => word.kind === 'mark' || has(word, ...ends));
  const said = rest.slice(0, end < 0 ? undefined : end).filter(({ path }) => !path);
  return said.some(({ meaning }) => meaning.nouns.length > 0);
}
