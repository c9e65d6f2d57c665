import type { Caller } from '../../contract/caller/index.ts';
import type { ModelLimit } from '../../contract/model/index.ts';
import { BudgetExceededError } from '../errors.ts';
import {
  addSpending,
  type ModelPrice,
  noSpending,
  type ScopeSpending,
  type Spending,
  spendingOf,
  type SpendingStore,
} from './spending-store.ts';

/** What a run, a session and a task (one request of several rounds) may use; a missing limit is none. */
export interface BudgetLimits {
  readonly runTokens?: number | undefined;
  readonly sessionTokens?: number | undefined;
  readonly runUsd?: number | undefined;
  readonly sessionUsd?: number | undefined;
  readonly taskTokens?: number | undefined;
  readonly taskUsd?: number | undefined;
}

interface ChargeRequest {
  readonly caller: Caller;
  readonly scopes: readonly string[];
  /** Scopes with limits of their own. */
  readonly limits?: readonly ModelLimit[];
  readonly inputTokens: number;
  readonly price: ModelPrice;
}

/** One request that is counted, from the question to the last piece of the answer. */
export interface Charge {
  /** A piece of the answer came. Throws `models.budget_exceeded` when it is one too many. */
  grow(outputTokens: number): void;
  /** The request is over, well or badly; null: what was counted on the way is all that is known. */
  settle(used: Spending | null): Promise<void>;
}

/** What this process knows of a scope that it has requests for at the moment. */
interface Account {
  readonly scope: string;
  stored: Spending;
  /** Of answers in the making. */
  growing: Spending;
  requests: number;
}

/**
 * Stops models when a run or session has used up what it may.
 *
 * 1. The estimated input is stored before a request is sent: a process that dies in the middle has been charged.
 * 2. Answers that are being written count as they grow, those of other calls of this process included.
 * 3. Every charge is settled once, with what was really used.
 */
export class Budgets {
  readonly #store: SpendingStore;
  readonly #limits: BudgetLimits;
  readonly #accounts = new Map<string, Account>();

  constructor(store: SpendingStore, limits: BudgetLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  link(caller: Caller, child: string, parent: string): Promise<void> {
    return this.#store.link(caller, child, parent);
  }

  /** Throws `models.budget_exceeded` when not even the question fits. */
  async charge({
    caller,
    limits = [],
    inputTokens,
    price,
    ...asked
  }: ChargeRequest): Promise<Charge> {
    const scopes = [...asked.scopes, ...limits.map(({ scope }) => scope)];
    if (scopes.length === 0) return freeOfCharge;
    const input = spendingOf({ inputTokens, outputTokens: 0 }, price);
    const spent = await this.#store.spentBy(caller, scopes);
    const accounts = spent.map((one) => this.#open(caller, one));
    const names = accounts.map(({ scope }) => scope);
    let counted = noSpending;
    try {
      this.#check(accounts, limits, input);
      counted = input;
      for (const account of accounts) account.stored = addSpending(account.stored, counted);
      await this.#store.add(caller, names, input);
    } catch (error) {
      for (const account of accounts) account.stored = addSpending(account.stored, counted, -1);
      this.#close(caller, accounts);
      throw error;
    }
    let grown = noSpending;
    return {
      grow: (outputTokens) => {
        const piece = spendingOf({ inputTokens: 0, outputTokens }, price);
        grown = addSpending(grown, piece);
        for (const account of accounts) account.growing = addSpending(account.growing, piece);
        this.#check(accounts, limits, noSpending);
      },
      settle: async (used) => {
        const total = used ?? addSpending(input, grown);
        const difference = addSpending(total, input, -1);
        for (const account of accounts) {
          account.growing = addSpending(account.growing, grown, -1);
          account.stored = addSpending(account.stored, difference);
        }
        try {
          await this.#store.add(caller, names, difference);
        } finally {
          // Not before: until then only the account knows of it.
          this.#close(caller, accounts);
        }
      },
    };
  }

  #open(caller: Caller, { scope, tokens, usd }: ScopeSpending): Account {
    const key = keyOf(caller, scope);
    const open = this.#accounts.get(key);
    if (open === undefined) {
      const account = { scope, stored: { tokens, usd }, growing: noSpending, requests: 1 };
      this.#accounts.set(key, account);
      return account;
    }
    // What was read may be older than what is known here, and newer than that of other processes.
    open.stored = {
      tokens: Math.max(open.stored.tokens, tokens),
      usd: Math.max(open.stored.usd, usd),
    };
    open.requests += 1;
    return open;
  }

  #close(caller: Caller, accounts: readonly Account[]): void {
    for (const account of accounts) {
      account.requests -= 1;
      if (account.requests === 0) this.#accounts.delete(keyOf(caller, account.scope));
    }
  }

  #check(accounts: readonly Account[], own: readonly ModelLimit[], more: Spending): void {
    for (const { scope, stored, growing } of accounts) {
      const total = addSpending(addSpending(stored, growing), more);
      for (const { limit, unit, setting } of this.#limitsOf(scope, own)) {
        const spent = unit === 'tokens' ? total.tokens : total.usd;
        if (limit !== undefined && spent > limit) {
          throw new BudgetExceededError({ scope, unit, limit, spent, setting });
        }
      }
    }
  }

  #limitsOf(scope: string, own: readonly ModelLimit[]): readonly ScopeLimit[] {
    const { runTokens, sessionTokens, taskTokens, runUsd, sessionUsd, taskUsd } = this.#limits;
    const limits = (tokens: ScopeLimit['limit'], usd: ScopeLimit['limit'], settings: Settings) => [
      { unit: 'tokens' as const, limit: tokens, setting: settings[0] },
      { unit: 'US dollars' as const, limit: usd, setting: settings[1] },
    ];
    const named = own.find((one) => one.scope === scope);
    if (named) return limits(named.tokens, named.usd, ['limits.tokens', 'limits.money_usd']);
    switch (scope.split(':', 1)[0] ?? '') {
      case 'run':
        return limits(runTokens, runUsd, ['models.budget.run_tokens', 'models.budget.run_usd']);
      case 'session': {
        const settings = ['models.budget.session_tokens', 'models.budget.session_usd'] as const;
        return limits(sessionTokens, sessionUsd, settings);
      }
      case 'task':
        return limits(taskTokens, taskUsd, ['agent.max_tokens', 'agent.max_cost_usd']);
      default:
        return [];
    }
  }
}

interface ScopeLimit {
  readonly unit: 'tokens' | 'US dollars';
  readonly limit: number | undefined;
  readonly setting: string;
}

type Settings = readonly [tokens: string, usd: string];

/** For calls without a budget. */
const freeOfCharge: Charge = { grow: () => undefined, settle: async () => undefined };

function keyOf(caller: Caller, scope: string): string {
  return JSON.stringify([caller.id, scope]);
}
