import type { Understanding } from '../reading/understand.ts';
import type { Capability } from '../reading/wish.ts';
import type { Tag } from '../words/lexicon.ts';
import type { Term } from '../words/read-terms.ts';
import type { Context } from './context.ts';
import type { Doubt } from './doubts.ts';
import type { Decided, Deciding } from './drafting.ts';

/** Words that speak of tests, a review or a specification. */
export const signs = {
  tests: ['n.test', 'v.test'],
  review: ['n.review', 'v.review'],
  spec: ['n.spec', 'v.spec'],
} as const satisfies Partial<Record<Capability, readonly Tag[]>>;
export type Signed = keyof typeof signs;
export const signed: readonly Signed[] = ['tests', 'review', 'spec'];

export function speaksOf(term: Term, what: Signed): boolean {
  return signs[what].some((tag) => term.tags.has(tag));
}

/** Steps that a word may belong to though they do something else: "email the test results". */
const alsoHeard: Readonly<Record<'tests' | 'review', readonly Capability[]>> = {
  tests: ['tests', 'runTests', 'email', 'message', 'createIssue'],
  review: [
    'review',
    'secrets',
    'vulnerabilities',
    'securityScan',
    'complexity',
    'format',
    'fixes',
    'search',
  ],
};

/** A word for a deed, or somebody to be told, and no step that does it. */
export function unheardWord(deciding: Deciding, { drafts }: Decided): Doubt | undefined {
  const { understanding, context } = deciding;
  const { terms, denied } = understanding;
  const done = new Set([...drafts.map(({ capability }) => capability), ...denied]);
  const isHeard = (what: 'tests' | 'review', term: Term): boolean => {
    if (alsoHeard[what].some((capability) => done.has(capability))) return true;
    // "Review the tests" writes none, and "verify it with tests" is no review.
    if (what === 'tests') return done.has('review') && !done.has('code');
    return holds(context, 'review') || (done.has('tests') && !term.tags.has('n.review'));
  };
  for (const what of ['tests', 'review'] as const) {
    const isUnheard = terms.some(
      (term, at) => speaksOf(term, what) && !isHeard(what, term) && !isTopic(terms, at),
    );
    if (isUnheard) return { why: 'unheard', capability: what };
  }
  const capability = unheardErrand(terms, done);
  return capability && { why: 'unheard', capability };
}

const changes = /^(?:simplif|refactor|rewrit|optimi[sz]|renam|repair|convert|fix$|tidy|clean up)/u;
const online = /^(?:internet|the web|on the internet|im internet|im netz|en ligne|en internet)$/u;

function unheardErrand(
  terms: readonly Term[],
  done: ReadonlySet<Capability>,
): Capability | undefined {
  const isChanged = (['code', 'format', 'fixes', 'createIssue'] as const).some((one) =>
    done.has(one),
  );
  for (const [at, { kind, tags, word }] of terms.entries()) {
    if (kind === 'email' && !done.has('email')) return 'email';
    if (kind === 'channel' && !done.has('message')) return 'message';
    if (tags.has('n.pr') && !done.has('pullRequest') && !done.has('review')) return 'pullRequest';
    if (online.test(word) && !done.has('search')) return 'search';
    if (tags.has('v.change') && changes.test(word) && !isChanged && !isTopic(terms, at))
      return 'code';
  }
  return undefined;
}

function holds({ given }: Context, kind: 'review' | 'spec'): boolean {
  return given.some((item) => item.kind === kind);
}

/** It says what a program is for: "a function to check palindromes". */
function isTopic(terms: readonly Term[], at: number): boolean {
  const before = terms.slice(0, at);
  const from = before.findLastIndex(
    ({ kind, word }) => kind === 'break' || /^[.;!?,:]$/u.test(word),
  );
  return before
    .slice(from + 1)
    .some(
      ({ word, tags }) => /^(?:to|for)$/u.test(word) || (tags.has('f.rel') && !tags.has('f.det')),
    );
}

/** A path that no step uses, or that is read though it sounds like one to write to. */
export function loosePath(
  { understanding, context }: Deciding,
  { drafts }: Decided,
): Doubt | undefined {
  if (drafts.some(({ capability }) => capability === 'vulnerabilities')) return undefined;
  const { terms } = understanding;
  const loose = terms.find(({ kind, text }, at) => {
    if (kind !== 'path' || context.given.some(({ title }) => title === text)) return false;
    const users = drafts.filter(({ path }) => path === text);
    return users.length === 0 || (isWritten(terms, at) && users.every(isReader));
  });
  return loose && { why: 'path', path: loose.text };
}

function isReader({ capability }: { readonly capability: Capability }): boolean {
  return capability === 'read';
}

function isWritten(terms: readonly Term[], at: number): boolean {
  const before = terms[at - 1]?.word ?? '';
  const thing = terms[at - 2];
  const isMade =
    thing !== undefined &&
    (['n.review', 'n.summary', 'n.result', 'n.test', 'f.pron'] as const).some((tag) =>
      thing.tags.has(tag),
    );
  return /^(?:to|into|as|under|called|named)$/u.test(before) || (before === 'in' && isMade);
}

const negatedAhead = 3;

/** A word of denial, and it is not clear what it denies. */
export function looseNegation({ read, denied }: Understanding): Doubt | undefined {
  const isLoose = read.some(({ piece, kind }) => {
    const words = piece.terms.filter((term) => term.kind === 'word');
    const at = words.findIndex(({ tags }) => tags.has('f.neg'));
    if (at < 0) return false;
    if (kind !== 'wishes' && at === 0) return true;
    const near = words.slice(at + 1, at + 1 + negatedAhead);
    if (near.length === 0 && at > 0 && denied.length === 0) return true;
    return signed.some(
      (what) => near.some((term) => speaksOf(term, what)) && !denied.includes(what),
    );
  });
  return isLoose ? { why: 'negation' } : undefined;
}
