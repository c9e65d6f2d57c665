import type { Tag } from '../words/lexicon.ts';
import type { Term } from '../words/read-terms.ts';
import { endOfPhrase, isVerb, skipFillers, type Piece } from './split-pieces.ts';

/** A piece with its verb and what the verb is about picked out. */
export interface PieceView {
  readonly piece: Piece;
  readonly words: readonly Term[];
  /** The verb that says what is to be done; undefined for a bare noun phrase. */
  readonly lead: Term | undefined;
  /** The verb was said here, not shared with the piece before. */
  readonly hasOwnVerb: boolean;
  /** The phrase the verb is about, up to a preposition or relative word. */
  readonly object: readonly Term[];
  /** The noun the object ends in. */
  readonly head: Term | undefined;
  readonly rest: readonly Term[];
  readonly paths: readonly Term[];
  readonly isQuestion: boolean;
  /** It speaks of something that is there: "it", "the attached class", "my code". */
  readonly refers: boolean;
  readonly isIndefinite: boolean;
  has(...tags: readonly Tag[]): boolean;
  headIs(...tags: readonly Tag[]): boolean;
  leads(...tags: readonly Tag[]): boolean;
  says(...words: readonly string[]): boolean;
}

const subjects = new Set([
  'i',
  'we',
  'you',
  'somebody',
  'someone',
  'ich',
  'wir',
  'du',
  'je',
  'nous',
  'yo',
  'io',
  'noi',
  'ik',
]);
const modals = new Set([
  'should',
  'must',
  'to',
  'can',
  'could',
  'will',
  'would',
  'please',
  'sollte',
  'soll',
  'kannst',
]);
const indefinites = new Set([
  'a',
  'an',
  'one',
  'some',
  'ein',
  'eine',
  'einen',
  'einem',
  'einer',
  'un',
  'une',
  'una',
  'unos',
  'unas',
  'um',
  'uma',
  'een',
  'another',
  'two',
  'three',
  'des',
]);

export function readView(piece: Piece, inherited?: Term): PieceView {
  const words = piece.terms.filter((term) => term.kind !== 'mark' && term.kind !== 'break');
  const leadAt = findLead(words);
  const lead = leadAt === undefined ? inherited : words[leadAt];
  const start = skipFillers(words, leadAt === undefined ? 0 : leadAt + 1);
  const first = words[start];
  const from = first ? piece.terms.indexOf(first) : piece.terms.length;
  const object = piece.terms.slice(from, endOfPhrase(piece.terms, from));
  const end = start + object.length;
  const head = headOf(object);
  return {
    piece,
    words,
    lead,
    hasOwnVerb: leadAt !== undefined,
    object,
    head,
    rest: words.slice(end),
    paths: words.filter(({ kind }) => kind === 'path'),
    isQuestion: isQuestion(piece, words),
    refers: refersTo(words, object),
    isIndefinite: object.slice(0, 3).some(({ word }) => indefinites.has(word)),
    has: (...tags) => words.some((term) => tags.some((tag) => term.tags.has(tag))),
    headIs: (...tags) => head !== undefined && tags.some((tag) => head.tags.has(tag)),
    leads: (...tags) => lead !== undefined && tags.some((tag) => lead.tags.has(tag)),
    says: (...said) => words.some(({ word }) => said.includes(word)),
  };
}

/** The verb stands first, or after who does it: "somebody should proofread it". */
function findLead(words: readonly Term[]): number | undefined {
  const first = skipFillers(words, 0);
  const term = words[first];
  const done = participleAt(words);
  if (done !== undefined) return done;
  if (term && isVerb(term) && !isNounHere(words, first)) return first;
  const passive = words.findIndex(
    (one, at) =>
      at > first &&
      at < first + 8 &&
      isVerb(one) &&
      /^(?:be|been|get)$/u.test(words[at - 1]?.word ?? ''),
  );
  if (
    passive > 0 &&
    words
      .slice(first, passive)
      .some((one) => one.tags.has('f.attached') || one.tags.has('f.pron') || one.tags.has('n.code'))
  )
    return passive;
  if (/^(?:from|based on|using|according to|given|out of|with)$/u.test(term?.word ?? ''))
    return leadAfterBasis(words, first);
  if (conditional.test(term?.word ?? '')) return leadAfterCondition(words, first);
  const limit = Math.min(words.length, first + 6);
  for (let at = first; at < limit; at += 1) {
    const before = words[at - 1];
    const candidate = words[at];
    if (!candidate) break;
    if (
      at > first &&
      (candidate.tags.has('f.rel') || candidate.tags.has('f.prep')) &&
      !modals.has(candidate.word) &&
      !isVerb(candidate)
    )
      break;
    if (candidate.tags.has('n.soft') && !isVerb(candidate)) break;
    if (!isVerb(candidate) || before?.tags.has('f.det') || before?.tags.has('f.possessive'))
      continue;
    if (
      before?.tags.has('f.pron') &&
      candidate.word.endsWith('ed') &&
      words
        .slice(0, at)
        .some(({ word }) =>
          /^(?:have|get|be|want|like|let|gets|would like|i'd like|having)$/u.test(word),
        )
    )
      return at;
    const follows =
      before !== undefined &&
      (modals.has(before.word) || subjects.has(before.word) || before.tags.has('f.filler'));
    if (follows || candidate.tags.has('v.want')) return at;
  }
  return undefined;
}

/** `get it reviewed`, `have them tested`. */
function participleAt(words: readonly Term[]): number | undefined {
  const at = words.findIndex(
    (term, place) =>
      place > 1 &&
      place < 5 &&
      term.word.endsWith('ed') &&
      (term.tags.has('v.review') || term.tags.has('v.test')) &&
      words[place - 1]?.tags.has('f.pron') === true &&
      /^(?:get|have|getting|having)$/u.test(words[place - 2]?.word ?? ''),
  );
  return at < 0 ? undefined : at;
}

/** "From the attached requirements produce code": the deed comes after what it is made from. */
function leadAfterBasis(words: readonly Term[], first: number): number | undefined {
  const at = words.findIndex(
    (term, place) =>
      place > first + 1 &&
      place < first + 10 &&
      isVerb(term) &&
      !words[place - 1]?.tags.has('f.det') &&
      ['v.create', 'v.change', 'v.test', 'v.spec'].some((tag) =>
        [...term.tags].some((one) => one === tag),
      ) &&
      !(term.tags.has('n.spec') || term.tags.has('n.code')),
  );
  return at < 0 ? undefined : at;
}

const conditional = /^(?:if|when|in case|wenn|falls|si|se)$/u;

/** "if anything fails open an issue": the deed comes after the condition. */
function leadAfterCondition(words: readonly Term[], first: number): number | undefined {
  const at = words.findIndex((term, place) => {
    const next = words[place + 1];
    return (
      place > first + 1 &&
      isVerb(term) &&
      next !== undefined &&
      (next.tags.has('f.det') ||
        next.tags.has('f.pron') ||
        next.kind === 'channel' ||
        next.kind === 'email')
    );
  });
  return at < 0 ? undefined : at;
}

/** `test suite for this`, `tests please`, `code review`: a thing, though the word could be a deed. */
function isNounHere(words: readonly Term[], at: number): boolean {
  const term = words[at];
  const next = words[at + 1];
  if (!term || ![...term.tags].some((tag) => tag.startsWith('n.'))) return false;
  if (words[at - 1]?.tags.has('f.det')) return true;
  if (!next) return false;
  return (
    next.kind === 'word' &&
    next.tags.has('n.soft') &&
    !next.tags.has('f.det') &&
    !term.tags.has('v.create')
  );
}

/** The last noun before the phrase ends; trailing adverbs and names of languages do not count. */
function headOf(object: readonly Term[]): Term | undefined {
  const nouns = object.filter(
    (term) =>
      term.kind === 'word' &&
      !(term.tags.has('f.filler') && ![...term.tags].some((tag) => tag.startsWith('n.'))),
  );
  return nouns.at(-1);
}

function isQuestion(piece: Piece, words: readonly Term[]): boolean {
  const first = words[skipFillers(words, 0)] ?? words[0];
  const asks = [words[0], first].some((term) => term?.tags.has('f.question'));
  return asks || piece.terms.some(({ word }) => word === '?');
}

function refersTo(words: readonly Term[], object: readonly Term[]): boolean {
  const pronouns = words.some(
    (term, at) =>
      term.tags.has('f.pron') && !isRelativeHere(words, at) && !isArticleHere(words, at),
  );
  const points = words.some((term) => term.tags.has('f.attached'));
  const owned = words.some(
    (term, at) =>
      term.tags.has('f.possessive') &&
      words
        .slice(at + 1, at + 4)
        .some(
          (next) => next.tags.has('n.code') || next.tags.has('n.soft') || next.tags.has('n.test'),
        ),
  );
  const definite =
    object
      .slice(0, 1)
      .some(({ word }) =>
        /^(?:the|der|die|das|den|le|la|les|el|los|las|o|a|il|lo|het|de)$/u.test(word),
      ) && object.length > 1;
  return (
    pronouns ||
    points ||
    owned ||
    (definite &&
      object.some(({ word }) => /^(?:the|den)$/u.test(word)) &&
      words.length < 6 &&
      object.some((term) => term.tags.has('n.code') || term.tags.has('n.soft')))
  );
}

/** `a function that sorts`: no pronoun. */
function isRelativeHere(words: readonly Term[], at: number): boolean {
  const term = words[at];
  const before = words[at - 1];
  if (!term?.tags.has('f.rel') || !before) return false;
  return (
    (!isVerb(before) || /^(?:needed|wanted|required)$/u.test(before.word)) &&
    !before.tags.has('f.prep') &&
    !before.tags.has('f.filler') &&
    at + 1 < words.length
  );
}

/** `la fonction`, `die Funktion`: words that are articles before a noun. */
function isArticleHere(words: readonly Term[], at: number): boolean {
  const term = words[at];
  const next = words[at + 1];
  if (!term?.tags.has('f.det')) return false;
  return (
    next !== undefined && !next.tags.has('f.prep') && !next.tags.has('f.filler') && !isVerb(next)
  );
}
