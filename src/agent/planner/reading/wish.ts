import type { Term } from '../words/read-terms.ts';

/** What a request can ask for; each is the deed of one tool. */
export const capabilities = [
  'spec',
  'code',
  'tests',
  'review',
  'read',
  'write',
  'runTests',
  'createIssue',
  'listIssues',
  'pullRequest',
  'message',
  'email',
  'search',
  'summary',
  'format',
  'complexity',
  'imports',
  'secrets',
  'securityScan',
  'vulnerabilities',
  'runCode',
  'docs',
  'standard',
  'fixes',
  'status',
] as const;
export type Capability = (typeof capabilities)[number];

/** One thing a message asks for. */
export interface Wish {
  readonly capability: Capability;
  /** `new`: something to be made; `given`: something that is there already; `open`: the words do not say. */
  readonly target: 'new' | 'given' | 'open';
  readonly terms: readonly Term[];
  readonly isNegated?: boolean;
  /** For code: the one before it, in another language or for another purpose. */
  readonly isSame?: boolean;
  /** A guess that another reading competes with. */
  readonly rival?: Capability;
  /** Only named, without a verb that asks for it. */
  readonly isBare?: boolean;
  /** It was implied by another wish, not said. */
  readonly isImplied?: boolean;
}

/** What a piece of a message turned out to be. */
export type Reading =
  | { readonly kind: 'wishes'; readonly wishes: readonly Wish[] }
  /** Says more about what was asked for before: a language, a limit, a condition. */
  | { readonly kind: 'detail' }
  /** Something no tool here is for. */
  | { readonly kind: 'off' }
  | { readonly kind: 'unknown' };
