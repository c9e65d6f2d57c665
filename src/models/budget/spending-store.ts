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

/** Links that lead round in a circle end. */
const maxParents = 8;

/** Counts for as long as the process lives: where nothing is to be kept. */
export class MemorySpendingStore implements SpendingStore {
  readonly #spent = new Map<string, Spending>();
  readonly #parents = new Map<string, string>();

  async spentBy(caller: Caller, scopes: readonly string[]): Promise<readonly ScopeSpending[]> {
    const all = new Set(scopes);
    for (const scope of scopes) this.#addParents(caller, scope, all);
    return [...all].map((scope) => ({ scope, ...this.#of(caller, scope) }));
  }

  async add(caller: Caller, scopes: readonly string[], { tokens, usd }: Spending): Promise<void> {
    for (const scope of scopes) {
      const before = this.#of(caller, scope);
      this.#spent.set(keyOf(caller, scope), {
        tokens: before.tokens + tokens,
        usd: before.usd + usd,
      });
    }
  }

  async link(caller: Caller, child: string, parent: string): Promise<void> {
    this.#parents.set(keyOf(caller, child), parent);
  }

  #of(caller: Caller, scope: string): Spending {
    return this.#spent.get(keyOf(caller, scope)) ?? { tokens: 0, usd: 0 };
  }

  #addParents(caller: Caller, scope: string, all: Set<string>): void {
    let current: string | undefined = scope;
    for (let depth = 0; depth < maxParents; depth += 1) {
      current = this.#parents.get(keyOf(caller, current));
      if (current === undefined) return;
      all.add(current);
    }
  }
}

function keyOf(caller: Caller, scope: string): string {
  return JSON.stringify([caller.id, scope]);
}

/** US dollars per million tokens; null where they are not known. */
export interface ModelPrice {
  readonly input: number | null;
  readonly output: number | null;
}

interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export const unknownPrice: ModelPrice = { input: null, output: null };
export const noSpending: Spending = { tokens: 0, usd: 0 };
const million = 1_000_000;

export function spendingOf(used: Tokens, price: ModelPrice): Spending {
  return { tokens: used.inputTokens + used.outputTokens, usd: costOf(used, price) ?? 0 };
}

/** US dollars; null where the price is not known. */
export function costOf(
  { inputTokens, outputTokens }: Tokens,
  { input, output }: ModelPrice,
): number | null {
  if (input === null || output === null) return null;
  return (inputTokens * input + outputTokens * output) / million;
}

export function addSpending(one: Spending, other: Spending, sign: 1 | -1 = 1): Spending {
  return { tokens: one.tokens + sign * other.tokens, usd: one.usd + sign * other.usd };
}
