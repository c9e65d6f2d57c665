import { joiningWords } from '../words/lexicon/joining-words.ts';
import { phrasesOf, type Tag } from '../words/lexicon.ts';
import type { Term } from '../words/read-terms.ts';

export type Join = 'start' | 'sentence' | 'comma' | 'and' | 'then' | 'with' | 'colon';

/** A part of a message that asks for one thing, or says more about the one before it. */
export interface Piece {
  readonly join: Join;
  readonly terms: readonly Term[];
}

const maxPieces = 40;
const conjunctions = new Set(phrasesOf(joiningWords.conjunctions));
const nextWords = new Set(phrasesOf(joiningWords.nextWords));
const withWords = new Set(phrasesOf(joiningWords.withWords));
const conditions = new Set(phrasesOf(joiningWords.conditions));
const topicWords = new Set(phrasesOf(joiningWords.topicWords));
const indefinite = new Set(phrasesOf(joiningWords.indefinite));

/** Verbs that name a tool's own deed; others are often part of what a program is to do. */
const strongVerbs = new Set(phrasesOf(joiningWords.strongVerbs));
const deliverables: readonly Tag[] = ['n.test', 'n.review', 'n.spec', 'n.summary', 'n.pr'];

/** Splits where something else is asked for; what belongs to the thing before it stays there. */
export function splitPieces(terms: readonly Term[]): readonly Piece[] {
  const pieces: { join: Join; terms: Term[] }[] = [{ join: 'start', terms: [] }];
  for (let at = 0; at < terms.length; at += 1) {
    const current = pieces.at(-1);
    const term = terms[at];
    if (!current || !term) break;
    const separator = separatorAt(terms, at);
    if (separator && pieces.length < maxPieces && opens(separator, terms, current.terms)) {
      if (current.terms.length > 0) pieces.push({ join: separator.join, terms: [] });
      else current.join = separator.join;
      // A conjunction says nothing more; words such as "before" do.
      for (const kept of terms.slice(separator.keepFrom, separator.next))
        pieces.at(-1)?.terms.push(kept);
      at = separator.next - 1;
    } else current.terms.push(term);
  }
  return pieces.filter((piece) => piece.terms.length > 0);
}

interface Separator {
  readonly join: Join;
  /** The first term after it. */
  readonly next: number;
  readonly keepFrom: number;
}

/** "without any tests": the word itself says what is meant. */
const lacking = /^(?:without|ohne|sans|sin|senza|sem|zonder)$/u;

function separatorAt(terms: readonly Term[], from: number): Separator | undefined {
  if (lacking.test(terms[from]?.word ?? ''))
    return { join: 'with', next: from + 1, keepFrom: from };
  let join: Join | undefined;
  let at = from;
  for (; at < terms.length && at < from + 4; at += 1) {
    const found = joinOf(terms[at], terms, at);
    if (!found) break;
    join = stronger(join, found);
    if (found === 'with') {
      at += 1;
      break;
    }
  }
  return join && { join, next: at, keepFrom: at };
}

function joinOf(term: Term | undefined, terms: readonly Term[], at: number): Join | undefined {
  if (!term) return undefined;
  if (term.kind === 'break') return 'sentence';
  if (term.kind === 'mark') {
    if (/^[.!?;]$/u.test(term.word)) return 'sentence';
    if (term.word === ':') return 'colon';
    if (['->', '=>', '→', '>'].includes(term.word)) return 'then';
    if (term.word === '+') return 'comma';
    return /^[,()–—&[\]-]$/u.test(term.word) ? 'comma' : undefined;
  }
  if (term.kind !== 'word') return undefined;
  if (conjunctions.has(term.word)) return 'and';
  if (term.word === 'plus' || term.word === 'sowie') return 'comma';
  if (nextWords.has(term.word) && at > 0) return 'then';
  if (withWords.has(term.word)) return 'with';
  const isAsWell = term.word === 'as well' && terms[at + 1]?.word === 'as';
  return isAsWell ? 'with' : undefined;
}

/** Whether the term is a comma, a conjunction, or such a word as "with". */
export function joinsPieces(terms: readonly Term[], at: number): boolean {
  return joinOf(terms[at], terms, at) !== undefined;
}

const strength: readonly Join[] = ['with', 'and', 'comma', 'then', 'colon', 'sentence'];

function stronger(one: Join | undefined, other: Join): Join {
  return one && strength.indexOf(one) >= strength.indexOf(other) ? one : other;
}

/** Whether what follows a separator is a thing of its own. */
function opens(separator: Separator, terms: readonly Term[], before: readonly Term[]): boolean {
  const { join, next } = separator;
  if (join === 'sentence' || join === 'colon') return true;
  if (before.length === 0) return true;
  const start = skipFillers(terms, next);
  const first = terms[start];
  if (!first) return false;
  const end = endOfPhrase(terms, start);
  const phrase = terms.slice(start, end);
  const delivers = endsInDeliverable(phrase);
  if (join === 'with')
    return (
      (delivers && !isOfGiven(phrase) && !isConfirming(before)) ||
      (first.slots.testFramework !== undefined && hasWork(before))
    );
  if (first.tags.has('f.neg')) return deniesDeliverable(terms.slice(start, start + 6));
  if (join === 'then' || conditions.has(first.word)) return true;
  if (delivers || isPassive(terms.slice(next, next + 8))) return true;
  if (isMeasuring(phrase)) return true;
  if (isVerb(first)) return !belongsToTopic(first, terms.slice(start, start + 7), before);
  if (first.slots.testFramework !== undefined) return true;
  return isAnotherThing({
    phrase: terms.slice(next, end),
    before,
    after: terms.slice(end, end + 3),
  });
}

/** `have it reviewed`, `make sure it's well tested`. */
function isPassive(terms: readonly Term[]): boolean {
  const at = terms.findIndex(({ word }) =>
    /^(?:it|it's|its|this|that|them|everything)$/u.test(word),
  );
  if (at < 0 || at > 3) return false;
  return terms
    .slice(at + 1, at + 5)
    .some(
      (term) =>
        term.word.endsWith('ed') &&
        (term.tags.has('v.review') || term.tags.has('v.test') || term.tags.has('v.spec')),
    );
}

const measured: readonly Tag[] = ['n.complexity', 'n.secret', 'n.vuln', 'n.imports'];

/** `measure its complexity`: the noun names a tool's deed, whatever its verb is. */
function isMeasuring([verb, owner, ...rest]: readonly Term[]): boolean {
  const isOwned = owner?.tags.has('f.det') || owner?.tags.has('f.possessive');
  return (
    verb?.kind === 'word' &&
    !verb.tags.has('f.det') &&
    Boolean(isOwned) &&
    measured.some((tag) => rest.some((term) => term.tags.has(tag)))
  );
}

/** `a date formatter` after `a slugify function`: one more program, not one more word about the first. */
function isAnotherThing({
  phrase,
  before,
  after,
}: {
  readonly phrase: readonly Term[];
  readonly before: readonly Term[];
  readonly after: readonly Term[];
}): boolean {
  if (before.some((term) => term.tags.has('f.rel') && term.word !== 'that')) return false;
  const startsIndefinite = indefinite.has(phrase.find((term) => !isPlainFiller(term))?.word ?? '');
  const isSoftware = phrase.some((term) => term.tags.has('n.soft') || term.tags.has('n.code'));
  const hasPreposition = before.some((term, at) => at > 2 && topicWords.has(term.word));
  const hasOwnLanguage = (terms: readonly Term[]): boolean =>
    terms.some(({ slots }) => slots.language !== undefined || slots.framework !== undefined);
  if (isSoftware && hasOwnLanguage(before) && phrase[0]?.tags.has('f.det') && hasOwnLanguage(after))
    return true;
  return startsIndefinite && (isSoftware || phrase[0]?.word === 'one') && !hasPreposition;
}

function belongsToTopic(verb: Term, after: readonly Term[], before: readonly Term[]): boolean {
  const isRelative = before.some((term, at) => at > 0 && isTopicMark(before, at));
  const first = before.find((term) => isVerb(term));
  const isMade = first === undefined || first.tags.has('v.create') || first.tags.has('v.want');
  if (!isRelative || !isMade || isStrong(verb)) return false;
  const rest = after.slice(1);
  const isPronounInside = / (?:it|this|that|them)(?: |$)/u.test(verb.word);
  const refers =
    isPronounInside ||
    rest
      .slice(0, 4)
      .some(
        (term) =>
          term.tags.has('f.pron') ||
          term.tags.has('n.code') ||
          term.kind === 'email' ||
          term.kind === 'path' ||
          term.kind === 'channel' ||
          term.tags.has('n.result') ||
          term.tags.has('n.slack'),
      );
  return (
    !refers &&
    !endsInDeliverable(rest) &&
    !rest.some((term) => deliverables.some((tag) => term.tags.has(tag)) || term.tags.has('n.issue'))
  );
}

function isTopicMark(terms: readonly Term[], at: number): boolean {
  const term = terms[at];
  if (!term) return false;
  const after = terms[at + 1];
  if (term.tags.has('f.rel') && !term.tags.has('f.pron') && !term.tags.has('f.det')) return true;
  if (term.word === 'that' || term.tags.has('f.rel')) {
    const noun = terms[at - 1];
    return noun !== undefined && !noun.tags.has('f.prep') && !isVerb(noun) && after !== undefined;
  }
  return topicWords.has(term.word) && after !== undefined;
}

function isStrong(verb: Term): boolean {
  return strongVerbs.has(verb.word);
}

/** `with this code` says what a thing is about, `with tests` asks for some. */
function isOfGiven(phrase: readonly Term[]): boolean {
  return (
    phrase.some((term) => term.tags.has('f.pron') && !term.tags.has('f.det')) ||
    (phrase.at(-1)?.tags.has('n.code') ?? false)
  );
}

/** `verify it with tests` is one wish. */
function isConfirming(before: readonly Term[]): boolean {
  return before
    .slice(0, 3)
    .some(({ word }) =>
      /^(?:verify|validate|ensure|prove|confirm|check|cover|secure|back)$/u.test(word),
    );
}

function hasWork(before: readonly Term[]): boolean {
  return before.some((term) => isVerb(term) || term.tags.has('n.soft'));
}

function deniesDeliverable(terms: readonly Term[]): boolean {
  return terms.some(
    (term) =>
      deliverables.some((tag) => term.tags.has(tag)) ||
      term.tags.has('v.test') ||
      term.tags.has('v.review') ||
      term.tags.has('n.code'),
  );
}

/** A noun phrase that ends in tests, a review, a specification or a summary. */
export function endsInDeliverable(phrase: readonly Term[]): boolean {
  const nouns = phrase.filter((term) => term.kind === 'word' && !term.tags.has('f.filler'));
  const last = nouns.at(-1);
  if (!last) return false;
  const isPointed = nouns[0]?.tags.has('f.pron') && !nouns[0].tags.has('f.det');
  return (
    deliverables.some((tag) => last.tags.has(tag)) ||
    (last.tags.has('n.code') && nouns.length <= 2 && !isPointed)
  );
}

/** Where the phrase that begins here ends: before a preposition, a relative word, a mark or a conjunction. */
export function endOfPhrase(terms: readonly Term[], start: number): number {
  let at = start;
  for (; at < terms.length; at += 1) {
    const term = terms[at];
    if (!term || term.kind === 'mark' || term.kind === 'break') break;
    if (at > start && isBoundary(term, terms[at - 1])) break;
  }
  return at;
}

function isBoundary(term: Term, before: Term | undefined): boolean {
  if (conjunctions.has(term.word) || nextWords.has(term.word)) return true;
  if (term.word === 'plus' || term.word === 'along with' || withWords.has(term.word)) return true;
  if (term.tags.has('f.rel') && !term.tags.has('f.det')) return true;
  if (
    term.tags.has('f.rel') &&
    before !== undefined &&
    before.tags.size > 0 &&
    !before.tags.has('f.prep') &&
    !isVerb(before)
  )
    return true;
  return term.tags.has('f.prep');
}

export function isVerb(term: Term): boolean {
  return [...term.tags].some((tag) => tag.startsWith('v.'));
}

function isPlainFiller(term: Term): boolean {
  return term.tags.has('f.filler') && !isVerb(term);
}

/** The first term that is not politeness or a word of order. */
export function skipFillers(terms: readonly Term[], from: number): number {
  let at = from;
  while (at < terms.length) {
    const term = terms[at];
    if (!term || !(term.tags.has('f.filler') || term.word === '-') || startsDeed(terms, at)) break;
    at += 1;
  }
  return at;
}

/** A word that is a filler elsewhere, but the deed itself here: "do a review". */
function startsDeed(terms: readonly Term[], at: number): boolean {
  const term = terms[at];
  if (!term || !isVerb(term)) return false;
  const next = terms[at + 1];
  return next !== undefined && (next.tags.has('f.det') || next.tags.has('f.pron')) && !isVerb(next);
}
