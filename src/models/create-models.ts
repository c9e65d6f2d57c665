import type {
  ModelCall,
  ModelDescription,
  ModelRole,
  Models,
  ModelText,
} from '../contract/model/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import {
  countTokens,
  Gate,
  reportError,
  silentLog,
  systemClock,
  type Clock,
  type Log,
} from '../kernel/index.ts';
import { askRole, type AskParts } from './ask/ask-role.ts';
import { Budgets, type BudgetLimits } from './budget/budgets.ts';
import { MemorySpendingStore } from './budget/memory-spending-store.ts';
import { unknownPrice, type ModelPrice } from './budget/price.ts';
import type { SpendingStore } from './budget/spending-store.ts';
import { CoolDowns } from './ask/cool-downs.ts';
import { describeModels, describeOne } from './describe-models.ts';
import { defaultModelLimits, type ModelLimits } from './model-limits.ts';
import { ModelPool, type PoolOptions } from './ask/model-pool.ts';
import { askStructured } from './structured/ask-structured.ts';

export interface ModelsOptions extends PoolOptions {
  readonly limits?: Partial<ModelLimits>;
  /** For requests that name none. */
  readonly temperature?: number;
  /** US dollars per million tokens, by the name of the model. */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  readonly budget?: BudgetLimits;
  /** Where spending is kept; as long as the process lives when not given. */
  readonly spending?: SpendingStore;
  /** Keeps what a model said and nobody could use; gives the id of the artifact. */
  readonly keepText?: KeepText;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export type KeepText = (
  caller: Caller,
  text: string,
  budgets: readonly string[],
) => Promise<string>;

/** Language models with everything around them: retries, fail-over, limits, budgets, JSON. */
export function createModels(options: ModelsOptions): Models {
  const { clock = systemClock, log = silentLog, prices = {}, temperature } = options;
  const limits = { ...defaultModelLimits, ...options.limits };
  const coolDowns = new CoolDowns(clock, limits.coolDownMs);
  const pool = new ModelPool(options, { clock, coolDowns, detectionMs: limits.detectionMs });
  const budgets = new Budgets(options.spending ?? new MemorySpendingStore(), options.budget ?? {});
  const parts: AskParts = {
    pool,
    budgets,
    coolDowns,
    limits,
    log,
    gate: new Gate(limits),
    random: options.random ?? Math.random,
    priceOf: (model) => (Object.hasOwn(prices, model) ? prices[model] : undefined) ?? unknownPrice,
  };
  const ask: AskText = (role, request, call) =>
    askRole(parts, {
      role,
      call,
      request: { ...(temperature === undefined ? {} : { temperature }), ...request },
    });
  return {
    find: (role, client) => findFirst(pool, { role, client, coolDowns }),
    text: (role, { messages, maxOutputTokens, temperature: own, stopSequences }, call) =>
      ask(
        role,
        {
          messages,
          ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
          ...(own === undefined ? {} : { temperature: own }),
          ...(stopSequences === undefined ? {} : { stopSequences }),
        },
        call,
      ),
    structured: (role, request, call) =>
      askStructured({
        request,
        ask: (asked) => ask(role, asked, call),
        onRepair: () => call.onRestart?.(),
        keep: (text) => keepIfPossible(options.keepText, { text, call, log }),
      }),
    countTokens,
    list: () => describeModels(pool, { coolDowns, probeMs: limits.probeMs }),
    linkBudgets: (caller, child, parent) => budgets.link(caller, child, parent),
    close: () => pool.close(),
  };
}

/** What could not be used is what the call fails with, also where it could not be kept. */
async function keepIfPossible(
  keepText: KeepText | undefined,
  said: { readonly text: string; readonly call: ModelCall; readonly log: Log },
): Promise<string | null> {
  const { text, call, log } = said;
  try {
    return (await keepText?.(call.caller, text, call.budgets ?? [])) ?? null;
  } catch (error) {
    log.warn('what a model said could not be kept', { message: reportError(error).message });
    return null;
  }
}

type AskText = (
  role: ModelRole,
  request: Parameters<typeof askRole>[1]['request'],
  call: Parameters<typeof askRole>[1]['call'],
) => Promise<ModelText>;

async function findFirst(
  pool: ModelPool,
  wanted: {
    readonly role: ModelRole;
    readonly client: Parameters<Models['find']>[1];
    readonly coolDowns: CoolDowns;
  },
): Promise<ModelDescription | null> {
  const { role, client, coolDowns } = wanted;
  for await (const first of pool.inOrder(role, client)) {
    return describeOne(first, {
      roles: { [role]: 1 },
      problem: coolDowns.problemOf(first.model.name),
    });
  }
  return null;
}
