import type { ContextVersion } from '../../contract/context/index.ts';

/** A version with its canonical text. */
export interface StoredContext extends ContextVersion {
  readonly text: string;
}

/** A version that is to be stored; its number is given by the store. */
export type AddedContext = Omit<StoredContext, 'number'>;

/** Of one caller. */
export interface ContextLimits {
  readonly maxVersions: number;
  readonly maxBytes: number;
  /** Callers that one context is shared with. */
  readonly maxShares: number;
}

/** Which versions: by the beginning of an id, or by name and number (the latest without one). */
export type ContextReference =
  | { readonly idPrefix: string }
  | { readonly name: string; readonly number?: number };

export type AddResult =
  | { readonly kind: 'added'; readonly count: number }
  | { readonly kind: 'full'; readonly what: 'versions' | 'bytes' };

/**
 * Where contexts are kept. What it acknowledged survives the loss of power.
 *
 * 1. A version never changes. One that its owner has already is not added again.
 * 2. `find`, `latest` and `chain` give what the caller owns or is shared with the caller, and nothing else.
 * 3. A new version gets the number after the highest of its name.
 */
export interface ContextStore {
  /** In one transaction, in their order. */
  add(versions: readonly AddedContext[], limits: ContextLimits): Promise<AddResult>;
  /** Matches, the caller's own before those of others; of a name without a number the latest of each owner. */
  find(
    callerId: string,
    reference: ContextReference,
    limit: number,
  ): Promise<readonly ContextVersion[]>;
  /** The latest of every name, the latest first. */
  latest(callerId: string, limit: number): Promise<readonly ContextVersion[]>;
  /** The version and its ancestors, newest first, as far as they are there. */
  chain(version: Pick<ContextVersion, 'owner' | 'id'>): Promise<readonly ContextVersion[]>;
  text(version: Pick<ContextVersion, 'owner' | 'id'>): Promise<string | undefined>;
  /** False where there are as many shares as there may be. */
  share(share: ContextShare, maxShares: number): Promise<boolean>;
  unshare(share: ContextShare): Promise<void>;
  shares(owner: string, name: string): Promise<readonly string[]>;
  /** The version of an id; without one all of the name, with its shares. Gives how many were removed. */
  remove(
    owner: string,
    which: { readonly id: string } | { readonly name: string },
  ): Promise<number>;
}

export interface ContextShare {
  readonly owner: string;
  readonly name: string;
  readonly sharedWith: string;
}
