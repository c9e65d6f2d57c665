import type { Caller } from '../contract/caller/index.ts';
import type {
  ModelCall,
  ModelDescription,
  ModelRole,
  Models,
  ModelText,
} from '../contract/model/index.ts';
import {
  type Clock,
  countTokens,
  Semaphore,
  type Log,
  orAborted,
  reportError,
  silentLog,
  systemClock,
} from '../kernel/index.ts';
import { type AskParts, askRole } from './ask/ask-role.ts';
import { CoolDowns, ModelPool, type PooledModel, type PoolOptions } from './ask/model-pool.ts';
import { type BudgetLimits, Budgets } from './budget/budgets.ts';
import {
  MemorySpendingStore,
  type ModelPrice,
  type SpendingStore,
  unknownPrice,
} from './budget/spending-store.ts';
import { defaultModelLimits, type ModelLimits, type TextModel } from './text-model.ts';
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
  /** Stores an unusable answer of a model; returns the id of the artifact. */
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
    semaphore: new Semaphore(limits),
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
    log.warn('failed to store unusable model answer', { message: reportError(error).message });
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

const roles: readonly ModelRole[] = ['code', 'agent'];

/** Every model, asked whether it is there. */
async function describeModels(
  pool: ModelPool,
  { coolDowns, probeMs }: { readonly coolDowns: CoolDowns; readonly probeMs: number },
): Promise<readonly ModelDescription[]> {
  const places = new Map<string, Partial<Record<ModelRole, number>>>();
  for (const role of roles) {
    for (const [index, { model }] of (await pool.ofRole(role)).entries()) {
      places.set(model.name, { ...places.get(model.name), [role]: index + 1 });
    }
  }
  const described = await Promise.all(
    (await pool.all()).map(async (one) => {
      const problem = await probe(one.model, probeMs);
      if (problem === null) coolDowns.answered(one.model.name);
      return describeOne(one, { roles: places.get(one.model.name) ?? {}, problem });
    }),
  );
  return [...described, ...(await describeMissing(pool))];
}

/** Models that a role names and that do not exist: a typo would silently leave the role without a model. */
async function describeMissing(pool: ModelPool): Promise<readonly ModelDescription[]> {
  const askedBy = new Map<string, string>();
  for (const role of roles) {
    for (const name of await pool.missingNames(role)) askedBy.set(name, `models.roles.${role}`);
  }
  return [...askedBy].map(([name, setting]) => ({
    name,
    provider: null,
    model: null,
    url: null,
    source: 'configured',
    roles: {},
    contextTokens: null,
    isReachable: false,
    problem: `${setting} asks for it, but it is not in models.providers and was not found on this machine; correct the name or start it`,
  }));
}

function describeOne(
  { model, source }: PooledModel,
  state: { readonly roles: ModelDescription['roles']; readonly problem: string | null },
): ModelDescription {
  return {
    name: model.name,
    provider: model.provider,
    model: model.model,
    url: model.url,
    source,
    roles: state.roles,
    contextTokens: model.contextTokens,
    isReachable: state.problem === null,
    ...(state.problem === null ? {} : { problem: state.problem }),
  };
}

async function probe(model: TextModel, probeMs: number): Promise<string | null> {
  const signal = AbortSignal.timeout(probeMs);
  try {
    return (await orAborted(model.probe(signal), signal)).problem;
  } catch (error) {
    if (signal.aborted) return `it did not respond within ${probeMs} ms`;
    return error instanceof Error ? error.message : String(error);
  }
}
