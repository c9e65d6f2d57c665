import type { DissectedCode, DissectedFunction } from './dissect-code.ts';
import type { Mutation } from './find-mutations.ts';
import { applyEdits } from './text-edit.ts';

/** The code with one change in it. */
export interface Mutant {
  readonly function: string;
  readonly mutation: Mutation;
  readonly text: string;
  /** It computes something else, rather than nothing. */
  readonly isTelling: boolean;
}

/** `add: "+" became "-", line 2`. */
export function describeMutant({ function: name, mutation }: Mutant): string {
  return `${name}: ${mutation.change}, line ${mutation.line}`;
}

export interface MutantChoice {
  readonly maxPerFunction: number;
  /** Of each function, leave out this many of its best. */
  readonly offset: number;
  /** Lines that no test ran: a change there cannot be noticed. */
  readonly linesNotRun: ReadonlySet<number>;
}

/**
 * Changes that tell most about the tests of a function: such as a test reaches, of different kinds.
 */
export function chooseMutants(
  code: DissectedCode,
  functions: readonly DissectedFunction[],
  choice: MutantChoice,
): Mutant[] {
  return functions.flatMap((site) =>
    rank(site.changes, choice.linesNotRun)
      .slice(choice.offset, choice.offset + choice.maxPerFunction)
      .map((mutation) => mutantOf(code, site, mutation)),
  );
}

/** Functions that fail as a whole. */
export function breakFunctions(
  code: DissectedCode,
  functions: readonly DissectedFunction[],
): Mutant[] {
  return functions.map((site) => mutantOf(code, site, site.broken));
}

function mutantOf(code: DissectedCode, site: DissectedFunction, mutation: Mutation): Mutant {
  return {
    function: site.name,
    mutation,
    text: applyEdits(code.text, mutation.edits),
    isTelling: mutation.kind !== 'return' && mutation.kind !== 'body',
  };
}

const kindOrder = [
  'result',
  'operator',
  'condition',
  'constant',
  'statement',
  'return',
  'body',
] as const;

/** The first of each kind, then the second of each kind, and so on; those that tests run come first. */
function rank(changes: readonly Mutation[], linesNotRun: ReadonlySet<number>): Mutation[] {
  const counts = new Map<string, number>();
  const places = changes.map((mutation) => {
    const isRun = !linesNotRun.has(mutation.line);
    const key = `${mutation.kind} ${isRun}`;
    const nth = counts.get(key) ?? 0;
    counts.set(key, nth + 1);
    return { mutation, isRun, nth };
  });
  return places
    .sort(
      (a, b) =>
        Number(b.isRun) - Number(a.isRun) ||
        a.nth - b.nth ||
        kindOrder.indexOf(a.mutation.kind) - kindOrder.indexOf(b.mutation.kind),
    )
    .map(({ mutation }) => mutation);
}
