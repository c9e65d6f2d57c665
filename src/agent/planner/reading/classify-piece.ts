import { classifyDelivery } from './classify-delivery.ts';
import { classifyMaking } from './classify-making.ts';
import { classifyToolbox } from './classify-toolbox.ts';
import type { Term } from '../words/read-terms.ts';
import { readView, type PieceView } from './piece-view.ts';
import type { Piece } from './split-pieces.ts';
import type { Capability, Reading } from './wish.ts';

/** What came before a piece, as far as it decides what the piece means. */
export interface Surroundings {
  /** The verb of the piece before, which a bare noun shares: "write the code and the tests". */
  readonly verb?: Term;
  /** What was wished for before this piece. */
  readonly wished: readonly Capability[];
  /** Code, tests, a review or a specification is at hand, from before or attached. */
  readonly hasContext: boolean;
  readonly hasTests: boolean;
}

/** Decides what one piece of a message asks for. */
export function classifyPiece(piece: Piece, around: Surroundings): Reading {
  const view = readView(piece, around.verb);
  if (view.words.length === 0 && view.paths.length === 0) return { kind: 'detail' };
  return (
    readDenial(view) ??
    classifyDelivery(view, around) ??
    classifyToolbox(view, around) ??
    classifyMaking(view, around)
  );
}

/** "no tests needed", "skip the review", "tests are not necessary". */
function readDenial(view: PieceView): Reading | undefined {
  const { words } = view;
  const at = words.findIndex((term) => term.tags.has('f.neg'));
  if (at < 0 || words[at]?.word === 'never') return undefined;
  const after = words.slice(at + 1, at + 6);
  const denied = deniedIn(after) ?? (at > 0 && at < 5 ? deniedIn(words.slice(0, at)) : undefined);
  const lacks =
    words
      .slice(0, at)
      .some(({ word }) => /^(?:has|have|hat|haben|a|ont|tiene|lacks|there)$/u.test(word)) && at > 1;
  if (lacks && denied !== undefined)
    return {
      kind: 'wishes',
      wishes: [{ capability: denied, target: 'given', terms: view.piece.terms }],
    };
  const isFirst =
    at <= 1 ||
    words.slice(0, at).every((term) => term.tags.has('f.filler') || term.tags.has('f.pron'));
  const isTrailing =
    at > 0 &&
    /^(?:not|isn't|aren't|nicht|pas|no|unnecessary|superfluous|not \w+|\S+n't \w+|uberflussig|unnotig|inutiles?|innecesari\w+|non necessari|needless|no hacen? falta)$/u.test(
      words[at]?.word ?? '',
    ) &&
    deniedIn(words.slice(0, at)) !== undefined;
  if (
    denied === undefined ||
    !(isFirst || isTrailing) ||
    (view.hasOwnVerb && view.lead?.tags.has('v.review') && at < words.length - 1)
  )
    return undefined;
  const isList = after.some(({ word }) => /^(?:or|nor|oder|noch|ni|ou|o)$/u.test(word));
  const all = isList ? after.flatMap((term) => deniedIn([term]) ?? []) : [denied];
  return {
    kind: 'wishes',
    wishes: [...new Set([denied, ...all])].map((capability) => ({
      capability,
      target: 'open',
      terms: view.piece.terms,
      isNegated: true,
    })),
  };
}

function deniedIn(terms: readonly Term[]): Capability | undefined {
  for (const { tags } of terms) {
    if (tags.has('n.test') || tags.has('v.test')) return 'tests';
    if (tags.has('n.review') || tags.has('v.review')) return 'review';
    if (tags.has('n.spec') || tags.has('v.spec')) return 'spec';
    if (tags.has('n.code')) return 'code';
  }
  return undefined;
}
