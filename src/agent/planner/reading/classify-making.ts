import { wish } from './classify-delivery.ts';
import type { Surroundings } from './classify-piece.ts';
import { languageAt } from '../words/find-slots.ts';
import type { PieceView } from './piece-view.ts';
import type { Term } from '../words/read-terms.ts';
import type { Reading, Wish } from './wish.ts';

/** Pieces that ask for a specification, code, tests or a review, or say more about one. */
export function classifyMaking(view: PieceView, around: Surroundings): Reading {
  const found =
    readSpec(view, around) ??
    readTests(view, around) ??
    readReview(view, around) ??
    readSame(view) ??
    readCode(view, around);
  if (found === 'off') return { kind: 'off' };
  if (found === 'detail') return { kind: 'detail' };
  return found ? { kind: 'wishes', wishes: found } : { kind: 'unknown' };
}

type Found = readonly Wish[] | 'off' | 'detail' | undefined;

/** Verbs that carry a specification out rather than write one. */
const carriesOut =
  /^(?:implement|build|code|program|develop|realise|realize|programmiere|implementiere|baue|entwickle|developpe|implemente|implementer|desarrolla|implementa|programa|sviluppa|desenvolva|execute|code up|turn)/u;
const weakSpec = new Set(
  'define describe structure scope detail formulate beschreibe definiere definis precise formuliere definisci'.split(
    ' ',
  ),
);

function readSpec(view: PieceView, around: Surroundings): Found {
  if (
    !view.hasOwnVerb &&
    around.hasContext &&
    /^(?:good|nice|great|perfect|fine|lovely|excellent|thanks)/u.test(
      view.piece.terms[0]?.word ?? '',
    ) &&
    view.words.length <= 3 &&
    view.has('n.spec')
  )
    return 'detail';
  const isRemark =
    !view.hasOwnVerb &&
    around.hasContext &&
    /^(?:the|this|that)$/u.test(view.words[0]?.word ?? '') &&
    view.says('is', 'looks', 'seems', 'was', 'is fine', 'is enough') &&
    view.object.some((term) => term.tags.has('n.spec'));
  if (isRemark) return 'detail';
  const isIntoCode =
    view.says('into', 'in', 'to') &&
    (view.has('n.code', 'n.soft') || view.words.some(({ slots }) => slots.language !== undefined));
  if (view.leads('v.change') && view.hasOwnVerb && view.headIs('n.spec') && !isIntoCode)
    return [wish('spec', view, { target: 'given' })];
  const turned = specAfterInto(view.words);
  if (turned) return [wish('spec', view, { target: 'new' })];
  if (view.leads('v.review', 'v.test') && view.hasOwnVerb) return undefined;
  if (view.leads('v.spec') && view.hasOwnVerb) {
    const isCode =
      weakSpec.has(view.lead?.word ?? '') && view.headIs('n.soft') && !view.has('n.spec');
    if (!isCode) return [wish('spec', view, { target: view.refers ? 'given' : 'new' })];
  }
  if (!view.headIs('n.spec') || (carriesOut.test(view.lead?.word ?? '') && view.hasOwnVerb))
    return undefined;
  const isWritten =
    view.lead === undefined ||
    view.leads('v.create', 'v.want', 'v.spec', 'v.deliver', 'v.list', 'v.file') ||
    !view.hasOwnVerb;
  return isWritten && !view.leads('v.change')
    ? [wish('spec', view, { target: view.refers ? 'given' : 'new' })]
    : undefined;
}

function specAfterInto(words: readonly Term[]): boolean {
  const at = words.findIndex(
    ({ word }) =>
      word === 'into' || word === 'in' || word === 'to' || word === 'as' || word === 'en',
  );
  if (at < 1) return false;
  const isTurned = words
    .slice(0, at)
    .some(
      (term) =>
        term.tags.has('v.change') ||
        term.tags.has('v.spec') ||
        /^(?:turn|bring|put|transform|convert|wandle|transforme|convierte|transforma)\b/u.test(
          term.word,
        ),
    );
  const phrase = words.slice(at + 1, at + 6);
  return (
    isTurned &&
    phrase.some((term) => term.tags.has('n.spec')) &&
    !words.slice(0, at).some((term) => term.tags.has('n.spec'))
  );
}

const confirms = /^(?:verify|check|validate|ensure|prove|confirm|sichere|verifica|verifie)$/u;

function readTests(view: PieceView, around: Surroundings): Found {
  const tested = view.words.some(
    (term, at) =>
      (/^(?:tested|getestet|teste|testee|probado|testato|testado)$/u.test(term.word) &&
        (at > 0 || view.words.length === 1) &&
        !view.hasOwnVerb) ||
      (term.word === 'tested' && !['a', 'the'].includes(view.words[at - 1]?.word ?? '')),
  );
  const byTests =
    confirms.test(view.lead?.word ?? '') &&
    view.words.some(
      (term, at) =>
        term.tags.has('n.test') &&
        (view.words[at - 1]?.tags.has('f.prep') || view.words[at - 2]?.tags.has('f.prep')),
    );
  const target = view.refers ? 'given' : 'open';
  if (byTests) return [wish('tests', view, { target: 'open' })];
  if (view.leads('v.test') && view.hasOwnVerb && !view.headIs('n.spec'))
    return withReviewed(view, [wish('tests', view, { target })]);
  if (view.leads('v.review') && view.hasOwnVerb) return undefined;
  if (view.leads('v.review') && view.headIs('n.test')) return 'detail';
  const names = view.words.some((term) => term.slots.testFramework !== undefined);
  if (
    view.headIs('n.test') ||
    (!view.headIs('n.soft') &&
      view.object.some((term) => isTestNoun(term)) &&
      view.leads('v.create', 'v.want', 'v.change'))
  )
    return withReviewed(view, [wish('tests', view, { target })]);
  if (
    names &&
    !view.headIs('n.soft') &&
    view.object.some(({ slots }) => slots.testFramework !== undefined) &&
    !view.leads('v.change')
  )
    return [wish('tests', view, { target })];
  const isAskedFor = view.isQuestion && view.refers && view.object.some((term) => isTestNoun(term));
  if (isAskedFor && view.leads('v.list')) return [wish('tests', view, { target })];
  if (tested) return withReviewed(view, [wish('tests', view, { target: 'open' })]);
  const isShift = view.leads('v.change') && names && !view.has('n.soft');
  const isPlain = names && !view.hasOwnVerb && !view.has('n.soft');
  if (isShift || (isPlain && (around.wished.length > 0 || around.hasContext)))
    return [wish('tests', view, { target: 'open' })];
  if (names && !view.headIs('n.soft') && view.leads('v.create') && view.words.length < 5)
    return [wish('tests', view, { target })];
  const isCovered =
    !view.hasOwnVerb && view.has('n.test') && !view.has('n.soft') && view.words.length <= 8;
  return isCovered && (around.wished.length > 0 || view.words.length <= 4)
    ? [wish('tests', view, { target })]
    : undefined;
}

/** `tested and reviewed`, in one breath. */
function withReviewed(view: PieceView, wishes: readonly Wish[]): readonly Wish[] {
  return view.says('reviewed') ? [...wishes, wish('review', view)] : wishes;
}

function isTestNoun(term: Term): boolean {
  return term.tags.has('n.test') && term.word !== 'coverage' && !term.word.startsWith('testing');
}

function readReview(view: PieceView, around: Surroundings): Found {
  const isReviewed =
    (!view.hasOwnVerb || view.leads('v.want')) &&
    view.says('reviewed', 'audited', 'proofread', 'inspected', 'gepruft', 'critiqued') &&
    !view.leads('v.change') &&
    !view.has('n.soft');
  const isOff =
    view.has('n.off') && !view.has('n.code', 'n.soft', 'n.test') && !view.has('f.attached');
  if (isReviewed) return [wish('review', view)];
  const isJudged =
    view.words.some(
      ({ tags, word }) => tags.has('v.review') && word.includes(' ') && !tags.has('n.review'),
    ) &&
    (view.refers || around.wished.includes('code'));
  if (isJudged && !view.leads('v.create', 'v.change', 'v.test'))
    return isOff ? 'off' : [wish('review', view)];
  if (view.leads('v.review') && view.hasOwnVerb && !view.isIndefinite)
    return isOff ? 'off' : reviewOf(view, around);
  if (view.headIs('n.review')) {
    if (view.leads('v.change')) return undefined;
    return isOff ? 'off' : [wish('review', view)];
  }
  if (view.leads('v.review') && !view.hasOwnVerb) return 'detail';
  if (view.leads('v.review')) return isOff ? 'off' : reviewOf(view, around);
  const judges =
    view.has('n.fixthing', 'n.quality') ||
    view.words.some(({ slots }) => slots.styleGuide !== undefined);
  const isPresent =
    view.refers || around.wished.includes('code') || view.paths.length > 0 || view.has('n.code');
  if (view.isQuestion && judges && isPresent && !view.leads('v.create', 'v.change'))
    return isOff ? 'off' : [wish('review', view)];
  const makesSure = /^(?:make sure|ensure|see|confirm|tell me|be sure)/u.test(
    view.piece.terms.find((term) => term.word !== 'please')?.word ?? '',
  );
  if (
    makesSure &&
    view.has('n.quality', 'n.fixthing') &&
    view.refers &&
    !around.wished.includes('code')
  )
    return [wish('review', view)];
  const finds =
    view.has('n.fixthing') &&
    /^(?:find|detect|identify|locate|any|finde|suche|trouve|cherche|encuentra|busca|trova|encontre)$/u.test(
      view.words.find((term) => !term.tags.has('f.filler'))?.word ?? '',
    );
  return finds ? [wish('review', view)] : undefined;
}

/** "Check the build works" asks for no review; "check for bugs" and "check this" do. */
function reviewOf(view: PieceView, around: Surroundings): Found {
  const isClear =
    view.refers ||
    view.has(
      'n.code',
      'n.soft',
      'n.fixthing',
      'n.quality',
      'n.review',
      'n.result',
      'n.test',
      'n.pr',
    ) ||
    view.paths.length > 0 ||
    around.wished.length > 0 ||
    around.hasContext ||
    view.words.length <= 3;
  return isClear ? [wish('review', view)] : undefined;
}

function readSame(view: PieceView): Found {
  const at = view.words.findIndex(
    (term) => term.tags.has('f.same') && term.word !== 'again' && term.word !== 'once more',
  );
  if (at < 0 || at > 3 || view.leads('v.review', 'v.run')) return undefined;
  return [wish('code', view, { target: 'given', isSame: true })];
}

function readCode(view: PieceView, around: Surroundings): Found {
  const isSoftware =
    view.has('n.soft', 'n.code') ||
    view.words.some(({ slots }) => slots.language !== undefined || slots.framework !== undefined);
  if (view.leads('v.off') && view.hasOwnVerb && !view.headIs('n.soft', 'n.code')) return 'off';
  if (view.leads('v.unsupported') && view.hasOwnVerb && !view.isIndefinite) return 'off';
  if (view.leads('v.create', 'v.want') && view.hasOwnVerb)
    return readCreation(view, around, isSoftware);
  if (view.leads('v.change') && view.hasOwnVerb) return readChange(view, around);
  if (
    view.leads('v.save', 'v.run', 'v.read', 'v.list', 'v.deliver', 'v.search', 'v.file') &&
    view.hasOwnVerb &&
    !isSoftware
  )
    return undefined;
  if (isDemand(view))
    return around.wished.includes('code')
      ? 'detail'
      : around.hasContext
        ? [wish('code', view, { target: 'given' })]
        : undefined;
  return readBare(view, around, isSoftware);
}

function readCreation(view: PieceView, around: Surroundings, isSoftware: boolean): Found {
  if (view.headIs('n.result') && around.wished.length > 0) return 'detail';
  if (view.lead?.word === 'design' && view.object.length === 0)
    return [wish('spec', view, { target: 'new' })];
  if (view.has('n.off') && !isSoftware) return 'off';
  if (view.headIs('n.off') && !view.headIs('n.soft')) return 'off';
  const adds = /^(?:add|fuge|ajoute|anade|adicione|aggiungi|voeg|throw in|put in)$/u.test(
    view.lead?.word ?? '',
  );
  const pointsAt =
    view.object
      .slice(0, 2)
      .some((term) => term.tags.has('f.pron') || term.tags.has('f.attached')) ||
    view.headIs('n.spec');
  const isTheCode =
    view.headIs('n.code') &&
    !view.object.some((term) => term.tags.has('f.pron') || term.tags.has('f.possessive'));
  const isWanted = /^(?:needed|wanted|required)$/u.test(view.lead?.word ?? '');
  const isGiven =
    !isWanted &&
    ((adds && !view.headIs('n.soft')) ||
      pointsAt ||
      (view.refers && !view.isIndefinite && !isTheCode));
  return withIssue(view, [wish('code', view, { target: isGiven ? 'given' : 'new' })]);
}

/** "Implement the first open feature request": it has to be looked up first. */
function withIssue(view: PieceView, wishes: readonly Wish[]): readonly Wish[] {
  const isTracked =
    view.has('n.issue') &&
    view.says(
      'open',
      'first',
      'oldest',
      'latest',
      'newest',
      'next',
      'top',
      'labelled',
      'labeled',
      'tagged',
    ) &&
    !view.has('f.attached');
  return isTracked && view.object.some((term) => term.tags.has('n.issue'))
    ? [
        wish('listIssues', view, { target: 'open', isImplied: true }),
        ...wishes.map((one) => ({ ...one, target: 'given' as const })),
      ]
    : wishes;
}

function readChange(view: PieceView, around: Surroundings): Found {
  if (view.has('n.off') && !view.refers && !view.has('n.soft', 'n.code')) return 'off';
  const speech = /^(?:translate|ubersetze|traduis|traduce|traduza|traduci|convert)$/u.test(
    view.lead?.word ?? '',
  );
  const intoProgram =
    view.words.some(({ slots }, at) => languageAt(view.words, at) ?? slots.framework) ||
    view.has('n.code', 'n.soft');
  if (speech && (view.has('n.off') || (!intoProgram && view.paths.length === 0))) return 'off';
  const isMere =
    /^(?:use|keep|follow|using|limit|respect|stick to|benutze|verwende|nutze|utilise|usa|support|handle|accept)$/u.test(
      view.lead?.word ?? '',
    );
  if (isMere && around.wished.length > 0 && view.piece.join !== 'sentence') return 'detail';
  const adds =
    around.wished.includes('code') &&
    !around.wished.some((capability) => capability !== 'code' && capability !== 'spec');
  if (adds && (isMere || view.piece.join === 'and' || view.refers)) return 'detail';
  const isOnlyThat =
    view.object.length === 1 && view.object[0]?.tags.has('f.pron') && view.words.length <= 4;
  if (isOnlyThat && around.wished.length > 0 && view.lead?.word === 'change') return 'detail';
  const rival = /^refactor|^refaktor|^clean up|^tidy up/u.test(view.lead?.word ?? '')
    ? 'fixes'
    : undefined;
  return withIssue(view, [wish('code', view, { target: 'given', ...(rival && { rival }) })]);
}

/** "It should also accept negative numbers": about a thing that is there, or was just asked for. */
function isDemand(view: PieceView): boolean {
  const [first, second, third] = view.words;
  const modal =
    /^(?:should|must|needs?|has|have to|can|shall|soll|muss|doit|debe|deve|needs to|is|are)$/u;
  const isSubject = first?.tags.has('f.pron') || first?.tags.has('f.det');
  return Boolean(
    isSubject &&
    (modal.test(second?.word ?? '') || modal.test(third?.word ?? '')) &&
    !view.isQuestion,
  );
}

/** A noun phrase alone: "Spring Boot service for invoices". */
function readBare(view: PieceView, around: Surroundings, isSoftware: boolean): Found {
  if (view.isQuestion && !isSoftware) return undefined;
  if (view.leads('v.want', 'v.create') && view.has('n.off') && !isSoftware) return 'off';
  const isThing =
    view.object.some((term) => term.tags.has('n.soft') || term.tags.has('n.code')) ||
    view.headIs('n.soft', 'n.code');
  const isOneMore =
    view.words[0]?.word === 'one' &&
    (view.words[1]?.tags.has('f.rel') || view.words[1]?.tags.has('f.prep'));
  if (isOneMore)
    return [
      wish('code', view, {
        target: 'new',
        isSame:
          around.wished.includes('code') &&
          view.words.some((_, at) => languageAt(view.words, at) !== undefined),
      }),
    ];
  const isTheCode =
    view.headIs('n.code') && around.wished.includes('spec') && !around.wished.includes('code');
  if (isTheCode) return [wish('code', view, { target: 'given' })];
  const isBesides =
    around.wished.includes('code') &&
    view.piece.join === 'and' &&
    view.words.some(({ slots }) => slots.framework ?? slots.language);
  if (isThing && !view.isQuestion && (!view.refers || isBesides))
    return [wish('code', view, { target: 'new', isBare: true })];
  const isBeside = around.wished.length > 0;
  if (isBeside && view.piece.join !== 'sentence') return 'detail';
  const speaksOfLanguage = view.words.some(({ slots }) => slots.language ?? slots.framework);
  const says = view.words.filter(
    (term) => term.tags.size === 0 && term.kind === 'word' && Object.keys(term.slots).length === 0,
  );
  if (speaksOfLanguage && says.length > 0 && !around.hasContext && !isBeside)
    return [wish('code', view, { target: 'new' })];
  if (speaksOfLanguage || view.words.some(({ slots }) => slots.styleGuide)) return 'detail';
  return isBeside ? 'detail' : undefined;
}
