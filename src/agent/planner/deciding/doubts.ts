import { readView } from '../reading/piece-view.ts';
import type { Capability, Wish } from '../reading/wish.ts';
import type { Decided, Deciding } from './drafting.ts';
import { loosePath, looseNegation, unheardWord } from './unheard-words.ts';
import { unreadPart } from './unread-parts.ts';

/** A reason to ask before a plan is taken for what was meant. */
export type Doubt =
  /** A part of the message led to no step, though it sounds as if it asks for one. */
  | { readonly why: 'unread'; readonly part: string }
  /** A word for something stands there, and no step does it. */
  | { readonly why: 'unheard'; readonly capability: Capability }
  | { readonly why: 'path'; readonly path: string }
  | { readonly why: 'negation' }
  /** The same is done more or less often than what was said tells. */
  | { readonly why: 'count'; readonly capability: Capability }
  | { readonly why: 'vague' };

/**
 * What speaks against a plan, worst first. Each sign was chosen by how often plans that show it are wrong when
 * words are taken out of the lexicon at random: a wrong plan counts as much as three needless questions.
 */
export function doubtsOf(
  wishes: readonly Wish[],
  decided: Decided,
  deciding: Deciding,
): readonly Doubt[] {
  const found = [
    unheardWord(deciding, decided),
    loosePath(deciding, decided),
    miscounted(wishes, decided, deciding),
    unreadPart(deciding, decided),
    looseNegation(deciding.understanding),
    isVague(wishes, decided, deciding) ? ({ why: 'vague' } as const) : undefined,
  ];
  return found.filter((doubt) => doubt !== undefined);
}

/** Something is made or looked at more often, or less often, than the words tell. */
function miscounted(
  wishes: readonly Wish[],
  decided: Decided,
  deciding: Deciding,
): Doubt | undefined {
  const { understanding, context } = deciding;
  const { terms, isTestFirst } = understanding;
  const done = decided.drafts.map(({ capability }) => capability);
  const count = (capability: Capability): number => done.filter((one) => one === capability).length;
  const doubt = (capability: Capability): Doubt => ({ why: 'count', capability });
  const saysAll = terms.some(
    ({ tags, word }) => tags.has('f.all') || /both|each|everything/u.test(word),
  );
  const works = Math.max(1, count('code'), count('read'));
  if (count('review') > works) return doubt('review');
  if (count('tests') > works) return doubt('tests');
  if (count('write') > 1 && !saysAll) return doubt('write');
  if (count('read') > 1 && correction.test(deciding.message)) return doubt('read');
  const isSpecGiven = context.given.some(({ kind }) => kind === 'spec');
  if (isSpecGiven && count('spec') > 0 && wishes.length > 1) return doubt('spec');
  const isAfterTests = done.includes('tests') && done.lastIndexOf('code') > done.indexOf('tests');
  if (isAfterTests && !isTestFirst) return doubt('code');
  if (count('code') > 2 && terms.some(({ word }) => /^(?:two|zwei|deux|dos|due|dois)$/u.test(word)))
    return doubt('code');
  if (count('code') > 1 && wishes.some(isNarrated)) return doubt('code');
  if (isBothUnmet(deciding, done) || isDropped(wishes, count('code'))) return doubt('code');
  return undefined;
}

/** "I'm building a budgeting tool": tells what there is, and asks for nothing. */
function isNarrated({ capability, isBare, terms }: Wish): boolean {
  const start = terms.find(
    ({ kind, word }) => kind === 'word' && !/^(?:so|hi|hey|hello)$/u.test(word),
  );
  return (
    capability === 'code' &&
    isBare === true &&
    /^(?:i|i'm|i am|we|we're|we are|my|our|ich|wir|je|nous)$/u.test(start?.word ?? '')
  );
}

const correction = /\b(?:sorry|i mean|oops|scratch that|or rather)\b/iu;

/** "Review both", and there is only one. */
function isBothUnmet({ understanding, context }: Deciding, done: readonly Capability[]): boolean {
  const { terms } = understanding;
  const saysBoth = terms.some(
    ({ word }, at) =>
      /^(?:both|each|beide|les deux|ambos|entrambi)$/u.test(word) &&
      terms[at + 1]?.word !== 'other',
  );
  const isSeveral =
    done.some((capability, at) => done.indexOf(capability) !== at) ||
    context.given.length > 1 ||
    done.includes('write') ||
    (done.includes('tests') && terms.some(({ tags }) => tags.has('n.code')));
  return saysBoth && !isSeveral;
}

/** A deed with a verb of its own was taken as one with another. */
function isDropped(wishes: readonly Wish[], made: number): boolean {
  const asked = wishes.filter(({ capability, isBare, terms }) => {
    const view = readView({ join: 'start', terms });
    return capability === 'code' && !isBare && view.hasOwnVerb && view.object.length > 0;
  });
  return asked.length > made;
}

/** Tools that one word is enough to choose. */
const chosenByWord: ReadonlySet<Capability> = new Set([
  'pullRequest',
  'runCode',
  'format',
  'imports',
  'complexity',
  'runTests',
  'status',
  'docs',
  'standard',
  'fixes',
  'secrets',
  'securityScan',
  'vulnerabilities',
]);
const effects: ReadonlySet<Capability> = new Set([
  'pullRequest',
  'createIssue',
  'email',
  'message',
  'runCode',
  'write',
]);
const manyStrange = 2;

/** Little of the message speaks for what was chosen. */
function isVague(wishes: readonly Wish[], { drafts }: Decided, deciding: Deciding): boolean {
  const { terms, read } = deciding.understanding;
  if (/\b(?:oops|scratch that|wait)\b/iu.test(deciding.message)) return true;
  const isAsked = read.every(({ piece }) => readView(piece).isQuestion);
  if (isAsked && drafts.every(({ capability }) => effects.has(capability))) return true;
  const strange = terms.filter(
    ({ kind, tags, slots }) =>
      kind === 'word' && tags.size === 0 && Object.keys(slots).length === 0,
  );
  const isWeak =
    strange.length >= manyStrange &&
    drafts.every(({ capability }) => chosenByWord.has(capability)) &&
    !terms.some(({ kind }) => kind === 'path');
  return isWeak || isSomething(wishes);
}

/** "Something cool with AI": nothing says what it does. */
function isSomething(wishes: readonly Wish[]): boolean {
  const [wish, ...more] = wishes;
  if (!wish || more.length > 0 || wish.capability !== 'code' || wish.target !== 'new') return false;
  const view = readView({ join: 'start', terms: wish.terms });
  const saysWhat = wish.terms.some(
    ({ tags, word }) => tags.has('f.rel') || word === 'to' || word === 'for',
  );
  return !saysWhat && view.object.some(({ tags }) => tags.has('n.generic'));
}
