import { readView } from '../reading/piece-view.ts';
import { isVerb, joinsPieces, skipFillers, type Piece } from '../reading/split-pieces.ts';
import type { ReadPiece } from '../reading/understand.ts';
import type { Wish } from '../reading/wish.ts';
import { findSlots } from '../words/find-slots.ts';
import type { Term } from '../words/read-terms.ts';
import type { Doubt } from './doubts.ts';
import type { Decided, Deciding } from './drafting.ts';
import { signed, speaksOf } from './unheard-words.ts';

/** The first part of a message that led to no step, though it sounds as if it asks for one. */
export function unreadPart(
  { understanding, message }: Deciding,
  decided: Decided,
): Doubt | undefined {
  const { read, terms, isTestFirst } = understanding;
  const asks = read.findIndex(({ kind }) => kind === 'wishes');
  const first = asks < 0 ? read.length : asks;
  const piece = read.find((one, at) => {
    if (isTestFirst) return false;
    if (one.kind === 'unknown') return isUnknownDeed(one.piece, { read, at, first });
    return one.kind === 'detail' && !isValue(one.piece) && isUnreadDetail(one.piece, at);
  })?.piece;
  const heard = { wishes: understanding.wishes, drafts: decided.drafts };
  const part = piece?.terms ?? unknownImperative(terms, heard) ?? unknownBeside(terms);
  return part && { why: 'unread', part: textOf(message, part) };
}

function textOf(message: string, terms: readonly Term[]): string {
  return message.slice(terms[0]?.start ?? 0, terms.at(-1)?.end ?? 0).trim();
}

interface Place {
  readonly read: readonly ReadPiece[];
  readonly at: number;
  /** Where the first piece stands that asks for something. */
  readonly first: number;
}

/** Background that comes before what is asked for says nothing against it; anything else may. */
function isUnknownDeed(piece: Piece, { read, at, first }: Place): boolean {
  if (piece.terms.some((term) => isDeliverable(term))) return true;
  if (!saysMore(piece)) return false;
  if (at > first || readView(piece).isQuestion) return true;
  const join = read[at + 1]?.piece.join;
  const start = piece.terms.find(({ kind }) => kind === 'word');
  const isStatement =
    start === undefined ||
    start.tags.has('f.pron') ||
    start.tags.has('f.det') ||
    /^(?:i|we|my|our|ich|wir|je|nous|yo|there|that's|it's|looks?|sounds?|fine)\b/u.test(start.word);
  return !isStatement && (join === 'and' || join === 'comma' || join === 'then');
}

/** "keep lines under 80", "ninety percent will do": an argument of a step. */
function isValue(piece: Piece): boolean {
  const { lineLength, coverage, styleGuide } = findSlots(piece.terms);
  return (lineLength ?? coverage ?? styleGuide) !== undefined;
}

function isUnreadDetail(piece: Piece, at: number): boolean {
  if (looksLikeDeed(piece)) return true;
  if (at === 0 || piece.terms[0]?.tags.has('f.prep')) return false;
  if (piece.join === 'then') return saysMore(piece) && piece.terms.length > 1;
  return (
    piece.join === 'sentence' &&
    piece.terms.some((term) => isVerb(term) && !term.tags.has('f.filler'))
  );
}

/** `roast it`, `give it a once-over`: a verb, or an unknown word in its place, and what it is about. */
function looksLikeDeed(piece: Piece): boolean {
  const words = piece.terms.filter(({ kind }) => kind !== 'mark' && kind !== 'break');
  const at = skipFillers(words, 0);
  const first = words[at];
  return (
    first?.kind === 'word' && (first.tags.size === 0 || isVerb(first)) && isObject(words[at + 1])
  );
}

function isObject(term: Term | undefined): boolean {
  return (
    term !== undefined &&
    (['f.pron', 'f.det', 'f.possessive'] as const).some((tag) => term.tags.has(tag))
  );
}

function isDeliverable(term: Term): boolean {
  return (['n.test', 'n.review', 'n.spec', 'n.issue', 'n.pr'] as const).some((tag) =>
    term.tags.has(tag),
  );
}

/** More than politeness and values. */
function saysMore(piece: Piece): boolean {
  return piece.terms.some(
    ({ kind, tags, slots }) =>
      kind === 'word' &&
      ![...tags].some((tag) => tag.startsWith('f.')) &&
      Object.keys(slots).length === 0,
  );
}

const partTerms = 4;

/** What the message was read as. */
interface Heard {
  readonly wishes: readonly Wish[];
  readonly drafts: Decided['drafts'];
}

/** An unknown word where a verb would stand, after a conjunction or at the start: "…, and roast it". */
function unknownImperative(terms: readonly Term[], heard: Heard): readonly Term[] | undefined {
  for (let at = 0; at < terms.length; at += 1) {
    if (at > 0 && (!joinsPieces(terms, at - 1) || terms[at - 1]?.tags.has('f.prep'))) continue;
    const place = skipFillers(terms, at);
    if (isUnknownVerb(terms, place) && !isHeard(terms, place, heard) && !isPurpose(terms, place))
      return terms.slice(place, place + partTerms);
  }
  return undefined;
}

function isUnknownVerb(terms: readonly Term[], at: number): boolean {
  const term = terms[at];
  return (
    term?.kind === 'word' &&
    term.tags.size === 0 &&
    Object.keys(term.slots).length === 0 &&
    !joinsPieces(terms, at) &&
    /^[a-z]{2,}(?:-[a-z]+)?$/u.test(term.word) &&
    // "sorts the list", "sorting the list": says what something does.
    !/(?:s|ing|ed|ly|ould)$/u.test(term.word) &&
    isObject(terms[at + 1])
  );
}

/** "tests and a walkthrough": one more thing to be made, by an unknown name. */
function unknownBeside(terms: readonly Term[]): readonly Term[] | undefined {
  const at = terms.findIndex((term, place) => {
    const before = terms[place - 1];
    return /^(?:and|und|et|y|e|plus|&)$/u.test(term.word) && before && isDeliverable(before);
  });
  if (at < 0) return undefined;
  const thing = terms.slice(at + 1).find(({ tags }) => !tags.has('f.det') && !tags.has('f.filler'));
  const next = thing && terms[terms.indexOf(thing) + 1];
  const isStrange =
    !(next && isDeliverable(next)) &&
    thing?.kind === 'word' &&
    thing.tags.size === 0 &&
    Object.keys(thing.slots).length === 0;
  return isStrange ? terms.slice(at + 1, at + 1 + partTerms) : undefined;
}

const objectTerms = 5;

/** What stands there was read all the same, by the noun after it: "perform a code review", "measure its complexity". */
function isHeard(terms: readonly Term[], at: number, { wishes, drafts }: Heard): boolean {
  const object = terms.slice(at + 1, at + 1 + objectTerms);
  const isDefinite = /^(?:the|this|these|those|it|them)$/u.test(object[0]?.word ?? '');
  const isNamed = signed.some(
    (what) =>
      // "… the tests" may be to run, mend or delete them.
      !(isDefinite && what !== 'spec') &&
      drafts.some(({ capability }) => capability === what) &&
      object.some((term) => speaksOf(term, what)),
  );
  const isOther = wishes.some(
    (wish) =>
      !['code', 'tests', 'review'].includes(wish.capability) &&
      wish.terms[skipFillers(wish.terms, 0)] === terms[at],
  );
  return isNamed || isOther;
}

/** "a script to fetch a page and print it": one more thing that a program does. */
function isPurpose(terms: readonly Term[], at: number): boolean {
  const object = terms.slice(at + 1, at + 4);
  if (object.some((term) => isDeliverable(term) || term.tags.has('n.code'))) return false;
  const before = terms.slice(0, at);
  const from = before.findLastIndex(({ kind, word }) => kind === 'break' || /^[.;!?]$/u.test(word));
  return before.slice(from + 1).some(({ word }) => /^(?:to|um|pour|para|per|for)$/u.test(word));
}
