/**
 * Every program we start carries our mark in its environment, and what it starts inherits it. So its
 * descendants are found even when they left its process group and lost their parent.
 *
 * The value is a chain, outermost owner first: `OWNER.NUMBER;OWNER.NUMBER;`. A Tutti that runs as a
 * program of another Tutti prolongs the chain, so the outer one still finds everything.
 */
export const markVariable = 'TUTTI_OWNER';

/** Chains longer than this are not ours to prolong. */
const maxChainCharacters = 2_000;

/** What only environments of this owner's programs hold. */
export function ownerMark(ownerId: string): string {
  return `${ownerId}.`;
}

/** What only environments of one program and its descendants hold. */
export function programMark(ownerId: string, number: number): string {
  return `${ownerId}.${number};`;
}

/** The value of the variable for a program, given the one we were started with ourselves. */
export function chainMark(outer: string | undefined, mark: string): string {
  const isChain = outer !== undefined && /^([\w-]+\.\d+;)*$/.test(outer);
  return isChain && outer.length <= maxChainCharacters ? outer + mark : mark;
}
