import type { Caller } from '../../contract/caller/index.ts';
import type { ForgottenCopies, MemoryItem } from '../../contract/memory/index.ts';

/** What is forgotten: its words, and what it came from. */
export interface ForgottenWords {
  /** In any case of their letters; also where they stand inside of JSON. */
  readonly texts: readonly string[];
  readonly turns: readonly { readonly session: string; readonly turn: number }[];
  readonly runIds: readonly string[];
}

/**
 * What other tables say of forgotten items: preferences, failures with what cured them, feedback and contexts.
 *
 * 1. A caller's own rows alone are changed, all of them or none.
 * 2. What comes from one of the turns or runs goes, and what has one of the texts. Of feedback the reason goes, and the verdict stays.
 */
export interface CopyStore {
  forget(caller: Caller, words: ForgottenWords): Promise<ForgottenCopies>;
}

export interface WordsOfItems {
  /** Of the items, and their ids, where contexts and calls name them. */
  readonly texts: readonly string[];
  /** Numbers of turns, by session. */
  readonly turns: ReadonlyMap<string, ReadonlySet<number>>;
}

/** Turns whose words the items are copies of. */
export function turnsOf(items: readonly MemoryItem[]): Map<string, Set<number>> {
  const turns = new Map<string, Set<number>>();
  for (const { source } of items) {
    if (source.kind !== 'turn') continue;
    turns.set(source.session, (turns.get(source.session) ?? new Set()).add(source.turn));
  }
  return turns;
}
