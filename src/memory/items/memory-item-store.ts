import type { Caller } from '../../contract/caller/index.ts';
import type { MemoryFilter, MemoryItem, MemoryStatus } from '../../contract/memory/index.ts';

/** An item and what its text means; without a vector it is found by its words until one is added. */
export interface NewMemoryItem {
  readonly item: MemoryItem;
  /** 384 numbers, of length 1; kept with 8 bits each. */
  readonly vector?: Float32Array | undefined;
}

export interface ScoredItem {
  readonly id: string;
  /** The higher, the better; comparable within one answer only. */
  readonly score: number;
}

/** An item next to another one in the same session. */
export interface NeighbourItem {
  readonly id: string;
  /** The item it is a neighbour of. */
  readonly of: string;
  /** Turns between them: -1 is the turn before. */
  readonly distance: number;
}

/** What changes of an item; its text never does. */
export interface MemoryItemChange {
  readonly pinned?: boolean;
  readonly status?: MemoryStatus;
}

/** How many of each there are; all callers together. */
export interface MemoryItemCounts {
  readonly items: number;
  /** Entries of the full-text index. */
  readonly indexed: number;
  readonly vectors: number;
  /** Items whose vector is still to be computed. */
  readonly pendingVectors: number;
  /** Turns of sessions that are no items yet. */
  readonly pendingTurns: number;
  /** Disagreements between items and index; empty when there are none. */
  readonly problems: readonly string[];
}

export interface PendingVector {
  readonly id: string;
  readonly text: string;
}

/**
 * Where memory items are kept.
 *
 * 1. A caller sees and changes its own items only; ids are unique among all.
 * 2. An item, its entry in the full-text index and its vector are written and removed in one transaction.
 * 3. The text of an item never changes: a correction is another item that supersedes it.
 * 4. An item goes with the turn it comes from. What is forgotten is in no answer of any process from then on.
 */
export interface MemoryItemStore {
  /**
   * All of them or none: where a source, a turn or run, is not there or not the caller's, nothing is added. An id that
   * is there already is left as it is.
   */
  add(caller: Caller, items: readonly NewMemoryItem[]): Promise<'added' | 'unknown_source'>;
  /** Those there are, in the order of the ids. */
  get(caller: Caller, ids: readonly string[]): Promise<readonly MemoryItem[]>;
  /** Ids that begin with this. */
  find(caller: Caller, beginning: string, limit: number): Promise<readonly string[]>;
  /** The latest observed first. */
  list(caller: Caller, filter: MemoryFilter, page: MemoryPage): Promise<readonly MemoryItem[]>;
  /** Those that are pinned, the latest observed first. */
  pinned(caller: Caller, limit: number): Promise<readonly MemoryItem[]>;
  /** How many items a caller has, whatever their status. */
  count(caller: Caller): Promise<number>;
  /**
   * Items with any of these words, by BM25, the best first. Words are compared without their endings, accents and
   * case. Of words that very many items have only the rarest count, so that the time of a search is bounded.
   */
  byWords(
    caller: Caller,
    words: readonly string[],
    search: MemorySearch,
  ): Promise<readonly ScoredItem[]>;
  /** The nearest items by cosine, which is the score, the best first. */
  byVector(
    caller: Caller,
    vector: Float32Array,
    search: MemorySearch,
  ): Promise<readonly ScoredItem[]>;
  /** Items of kind turn at most `radius` turns before or after these in their sessions. */
  neighbours(
    caller: Caller,
    ids: readonly string[],
    radius: number,
  ): Promise<readonly NeighbourItem[]>;
  /** Adds `by` and ends `id`, which becomes history. `unknown`: there is no such item, or it is superseded already. */
  supersede(
    caller: Caller,
    id: string,
    by: NewMemoryItem,
  ): Promise<'superseded' | 'unknown' | 'unknown_source'>;
  /** False where there is no such item. One that becomes active ends what it supersedes. */
  change(caller: Caller, id: string, change: MemoryItemChange): Promise<boolean>;
  /** Removes items and the earlier versions that they superseded; gives what was removed. */
  forget(caller: Caller, ids: readonly string[]): Promise<readonly MemoryItem[]>;
  /** Items of all callers without a vector, the oldest first. */
  pendingVectors(limit: number): Promise<readonly PendingVector[]>;
  /** For items that are still there and have none. */
  addVectors(
    vectors: readonly { readonly id: string; readonly vector: Float32Array }[],
  ): Promise<void>;
  /** Makes items of turns that were stored before there were items, this many at most; 0 when all are. */
  indexTurns(limit: number): Promise<number>;
  /** Compares items, index and vectors. Takes time in proportion to what there is. */
  counts(): Promise<MemoryItemCounts>;
  /** Leaves nothing of what was forgotten in the files, also not in their unused parts. May take seconds. */
  erase(): Promise<void>;
}

export interface MemoryPage {
  readonly limit: number;
  /** Items observed before this one. */
  readonly after?: string | undefined;
}

export interface MemorySearch {
  readonly filter: MemoryFilter;
  readonly limit: number;
}
