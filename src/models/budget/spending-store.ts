import type { Caller } from '../../contract/caller/index.ts';

/** What was used: tokens in and out together, and what they cost where the price is known. */
export interface Spending {
  readonly tokens: number;
  readonly usd: number;
}

/** What a scope (`run:ID`, `session:ID`) has used so far. */
export interface ScopeSpending extends Spending {
  readonly scope: string;
}

/** Keeps what runs and sessions spent on models; it survives the process. */
export interface SpendingStore {
  /** The scopes, with up to eight each that they are counted against, each once, and what each has used. */
  spentBy(caller: Caller, scopes: readonly string[]): Promise<readonly ScopeSpending[]>;
  /** Adds to just these scopes; less than nothing takes back what was counted too high. */
  add(caller: Caller, scopes: readonly string[], spending: Spending): Promise<void>;
  /** From now on what `child` uses counts against `parent`, too. One parent: the last one named. */
  link(caller: Caller, child: string, parent: string): Promise<void>;
}
