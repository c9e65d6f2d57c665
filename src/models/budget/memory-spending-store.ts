import type { Caller } from '../../contract/caller/index.ts';
import type { ScopeSpending, Spending, SpendingStore } from './spending-store.ts';

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
