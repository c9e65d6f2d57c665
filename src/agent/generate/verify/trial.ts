import type { Mutant } from '../mutate/find-mutants.ts';

/** What can be different around a run of the tests. */
export const surroundings = [
  'time',
  'zone',
  'host',
  'user',
  'environment',
  'folder',
  'seed',
] as const;
export type Surrounding = (typeof surroundings)[number];

/** One more run of the tests, to see what they depend on and what they notice. */
export type Trial =
  /** On the same program in other words, beside a test that fails. */
  | { readonly kind: 'control' }
  /** On the code itself, in other surroundings. */
  | {
      readonly kind: 'surroundings';
      readonly what: readonly Surrounding[];
      readonly isReversed: boolean;
    }
  /** One test without the others. */
  | { readonly kind: 'alone'; readonly name: string; readonly text: string }
  /** Every function fails. `test`: that test alone; null: all of them. */
  | { readonly kind: 'broken'; readonly test: string | null }
  /** Every function returns nothing. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'mutant'; readonly mutant: Mutant };
