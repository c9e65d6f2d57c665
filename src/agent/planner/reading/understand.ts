import { classifyPiece } from './classify-piece.ts';
import { contentWords } from '../words/content-words.ts';
import { findSlots, languageAt, type Slots } from '../words/find-slots.ts';
import type { Lexicon } from '../words/lexicon.ts';
import { readTerms, type Term } from '../words/read-terms.ts';
import { overheardWishes } from './overheard-wishes.ts';
import { isVerb, splitPieces, type Piece } from './split-pieces.ts';
import type { Capability, Reading, Wish } from './wish.ts';

/** What is at hand besides the message. */
export interface AtHand {
  readonly hasContext: boolean;
  readonly hasTests: boolean;
  readonly hasSpec: boolean;
}

/** A message as the planner reads it. */
export interface Understanding {
  readonly terms: readonly Term[];
  readonly wishes: readonly Wish[];
  readonly denied: readonly Capability[];
  readonly slots: Slots;
  /** A part asks for something no tool here is for. */
  readonly isOff: boolean;
  /** Tests are wanted before the code. */
  readonly isTestFirst: boolean;
  /** Pieces nobody could make sense of. */
  readonly unknown: readonly Piece[];
  /** Every piece, and what it turned out to be. */
  readonly read: readonly ReadPiece[];
  /** "in Python or Go": somebody has to choose. */
  readonly undecided: readonly string[];
  /** Words in the message that say what a program would be for. */
  readonly hasContent: boolean;
}

export interface ReadPiece {
  readonly piece: Piece;
  readonly kind: Reading['kind'];
}

const testFirst =
  /\btest[- ]first\b|\btdd\b|\btest[- ]driv(?:en|e|ing)\b|\btests? (?:come |go )?(?:first|before (?:the )?(?:code|implementation|implementing|coding))\b|\b(?:start|begin) with (?:the )?tests\b|\btestgetrieben\b|\btests? zuerst\b|\bzuerst die tests\b/iu;
const wholeCycle =
  /\b(?:whole|full|entire|complete) (?:cycle|pipeline|process|workflow|programme|program|chain|package|treatment|works|lifecycle|loop)\b|\bend[- ]to[- ]end\b(?! tests?)|\bfrom a to z\b|\bsoup to nuts\b|\bfrom start to finish\b|\bstart to finish\b|\ball the way from\b/iu;
const fromIdea =
  /\bfrom (?:a |an |the )?(?:\w+ )?(?:idea|concept|spec|specification|requirements?|scratch|brief|sketch)\b.{0,30}?\bto\b(?<goal>[^:,.]{0,50})/iu;

export function understand(message: string, lexicon: Lexicon, atHand: AtHand): Understanding {
  const terms = readTerms(message, lexicon);
  const pieces = splitPieces(terms);
  const read = readPieces(pieces, atHand);
  const said = withoutSubject(read.wishes);
  const named = [...said, ...overheardWishes(terms, said, read.denied)];
  const wishes = [...named, ...cycleWishes(message, named, terms)];
  const isTestFirst = testFirst.test(message);
  const slots = findSlots(terms);
  return {
    terms,
    wishes: withTestFirst(wishes, isTestFirst, terms),
    denied: read.denied,
    slots,
    isOff: read.isOff,
    isTestFirst,
    unknown: read.unknown,
    read: read.pieces,
    undecided: alternatives(terms),
    hasContent: contentWords(terms).length > 0,
  };
}

/** "An app that swaps plants: make a specification of it" asks for no app. */
function withoutSubject(wishes: readonly Wish[]): readonly Wish[] {
  const isCode = ({ capability }: Wish): boolean => capability === 'code';
  const needsCode = wishes.some(
    ({ capability }) => capability === 'tests' || capability === 'review',
  );
  const isSubject =
    !needsCode &&
    wishes.some(({ capability }) => capability === 'spec') &&
    wishes
      .filter(isCode)
      .every((wish) => wish.isBare && !wish.terms.some((term) => term.tags.has('n.code')));
  return isSubject ? wishes.filter((wish) => !isCode(wish)) : wishes;
}

interface PiecesRead {
  readonly wishes: Wish[];
  readonly denied: Capability[];
  readonly unknown: Piece[];
  readonly pieces: ReadPiece[];
  isOff: boolean;
}

function readPieces(pieces: readonly Piece[], atHand: AtHand): PiecesRead {
  const read: PiecesRead = { wishes: [], denied: [], unknown: [], pieces: [], isOff: false };
  let verb: Term | undefined;
  let isContent = false;
  let isDenying = false;
  for (const piece of pieces) {
    if (piece.join === 'sentence' || piece.join === 'colon') verb = undefined;
    if (piece.join === 'sentence') isContent = false;
    if (piece.join === 'colon' && takesContent(read.wishes.at(-1))) isContent = true;
    const wished = read.wishes.map(({ capability }) => capability);
    const reading = deniedToo(
      classifyPiece(piece, { ...(verb && { verb }), wished, ...atHand }),
      piece,
      isDenying,
    );
    isDenying = reading.kind === 'wishes' && reading.wishes.every(({ isNegated }) => isNegated);
    if (
      isContent &&
      !(reading.kind === 'wishes' && reading.wishes.some(({ capability }) => capability !== 'code'))
    ) {
      read.pieces.push({ piece, kind: 'wishes' });
      addDetail(read.wishes, piece);
      continue;
    }
    read.pieces.push({ piece, kind: reading.kind });
    switch (reading.kind) {
      case 'wishes':
        for (const said of reading.wishes) {
          const wish = aboutRemark(said, read, atHand);
          if (wish.isNegated) read.denied.push(wish.capability);
          else read.wishes.push(wish);
        }
        break;
      case 'off':
        read.isOff = true;
        break;
      case 'unknown':
        read.unknown.push(piece);
        addDetail(read.wishes, piece);
        break;
      case 'detail':
        addDetail(read.wishes, piece);
        break;
    }
    if (isDenying) continue;
    verb = sharedVerb(piece) ?? verb;
  }
  return read;
}

/** "skip tests and review": a bare word after what is not wanted is not wanted either. */
function deniedToo(reading: Reading, piece: Piece, isDenying: boolean): Reading {
  const words = piece.terms.filter(({ kind }) => kind === 'word');
  const isBare = words.every(({ tags }) => !tags.has('f.pron') && !tags.has('f.neg'));
  if (!isDenying || piece.join !== 'and' || reading.kind !== 'wishes') return reading;
  return words.length <= 2 && isBare
    ? { kind: 'wishes', wishes: reading.wishes.map((wish) => ({ ...wish, isNegated: true })) }
    : reading;
}

/** "Two of the tests are redundant, remove them": the change is to what was spoken of. */
function aboutRemark(wish: Wish, { unknown, wishes }: PiecesRead, atHand: AtHand): Wish {
  const isPlain =
    wish.capability === 'code' && wish.target === 'given' && wishes.length === 0 && !wish.isSame;
  const points = wish.terms.some(({ word }) =>
    /^(?:it|them|that|this|sie|es|los|las)$/u.test(word),
  );
  if (!isPlain || !points) return wish;
  const named = unknown.flatMap(({ terms }) => terms);
  if (atHand.hasTests && named.some((term) => term.tags.has('n.test')))
    return { ...wish, capability: 'tests' };
  const isSpec = atHand.hasSpec && named.some((term) => term.tags.has('n.spec'));
  return isSpec ? { ...wish, capability: 'spec' } : wish;
}

/** What says more about a wish belongs to it: its words may be arguments. */
function addDetail(wishes: Wish[], piece: Piece): void {
  const last = wishes.pop();
  if (last) wishes.push({ ...last, terms: [...last.terms, ...piece.terms] });
}

/** The verb that the nouns after it share; `code review and tests` has none. */
function sharedVerb({ terms }: Piece): Term | undefined {
  return terms.find((term, at) => {
    if (at >= 8 || !isVerb(term) || term.tags.has('f.filler')) return false;
    const next = terms[at + 1];
    const isNoun = ['n.review', 'n.test', 'n.spec', 'n.summary'].some((tag) =>
      [...term.tags].some((one) => one === tag),
    );
    return !isNoun || next?.tags.has('f.det') === true || next?.tags.has('f.pron') === true;
  });
}

/** After "Formalize this:" or "Create an issue:" comes what it is about. */
function takesContent(wish: Wish | undefined): boolean {
  return (
    wish !== undefined &&
    (wish.capability === 'spec' ||
      (['createIssue', 'message', 'email'].includes(wish.capability) &&
        contentWords(wish.terms).length === 0))
  );
}

/** "the whole cycle for a currency converter", "from idea to reviewed code". */
function cycleWishes(
  message: string,
  wishes: readonly Wish[],
  terms: readonly Term[],
): readonly Wish[] {
  const range = fromIdea.exec(message);
  const said = new Set(wishes.map(({ capability }) => capability));
  const add = (list: readonly Capability[]): readonly Wish[] =>
    list
      .filter((capability) => !said.has(capability))
      .map((capability) => ({
        capability,
        target: capability === 'code' || capability === 'spec' ? 'new' : 'open',
        terms,
        isImplied: true,
      }));
  if (range) {
    const goal = range.groups?.goal ?? '';
    const isTested = /test|\breview\b|\baudit\b/iu.test(goal);
    const isReviewed = /review|audit|check/iu.test(goal);
    const fromScratch = /from scratch/iu.test(range[0]);
    if (
      fromScratch ||
      !(isTested || isReviewed || /code|implementation|program|software|product|app/iu.test(goal))
    )
      return [];
    return add([
      'spec',
      'code',
      ...(isTested ? (['tests'] as const) : []),
      ...(isReviewed ? (['review'] as const) : []),
    ]);
  }
  const listed = ['spec', 'code', 'tests', 'review'].filter((capability) =>
    [...said].some((one) => one === capability),
  );
  return wholeCycle.test(message) && listed.length <= 1
    ? add(['spec', 'code', 'tests', 'review'])
    : [];
}

function withTestFirst(
  wishes: readonly Wish[],
  isTestFirst: boolean,
  terms: readonly Term[],
): readonly Wish[] {
  if (!isTestFirst) return wishes;
  const said = new Set(wishes.map(({ capability }) => capability));
  const more = (['tests', 'code'] as const).filter((capability) => !said.has(capability));
  return [...wishes, ...more.map((capability) => ({ capability, target: 'new' as const, terms }))];
}

/** Two languages with "or" between them. */
function alternatives(terms: readonly Term[]): readonly string[] {
  for (const [at, { word }] of terms.entries()) {
    if (!/^(?:or|oder|ou|o)$/u.test(word)) continue;
    const before = languageAt(terms, at - 1);
    const after = languageAt(terms, at + 1) ?? languageAt(terms, at + 2);
    if (before !== undefined && after !== undefined && before !== after) return [before, after];
  }
  return [];
}

/** Languages that one thing is asked for in, one after the other: "in Python and again in Go". */
export function eachLanguage(terms: readonly Term[]): readonly string[] {
  const named: string[] = [];
  for (const [at, term] of terms.entries()) {
    const language = languageAt(terms, at);
    if (language === undefined) continue;
    const before = terms.slice(Math.max(0, at - 3), at).map(({ word }) => word);
    const follows =
      named.length > 0 &&
      before.some((word) => /^(?:and|und|et|y|e|,|also|again|en|&)$/u.test(word));
    const isFirst =
      named.length === 0 && before.some((word) => /^(?:in|en|em|auf|both|using)$/u.test(word));
    if ((isFirst || follows) && !named.includes(language) && term.slots.framework === undefined)
      named.push(language);
  }
  const web = named.filter((language) => ['html', 'css', 'sql', 'javascript'].includes(language));
  return web.length > 1 || named.some((language) => ['html', 'css', 'sql'].includes(language))
    ? named.slice(0, 1)
    : named;
}
