import type { Caller } from '../../contract/caller/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import type { Clock } from '../../kernel/index.ts';
import {
  type AgentBudget,
  agentBudgetMetaKey,
  agentBudgetSchema,
  type AgentDefinition,
} from '../../contract/agents/index.ts';
import {
  BadBudgetError,
  BudgetExceededError,
  CircularDelegationError,
  NestedAgentsError,
  ToolNotAllowedError,
} from '../errors.ts';
import type { DelegationStore, UsageUnit } from './delegation-store.ts';

/** What a task may use that no other task began. */
export interface RootLimits {
  readonly depth: number;
  readonly rounds: number;
  readonly calls: number;
  readonly tokens: number;
  readonly moneyUsd: number;
  readonly minutes: number;
}

const minuteMs = 60_000;

/** The budget that a call carries, or the one of a new task. Throws where it carries something else. */
export function budgetOf(
  meta: Readonly<Record<string, unknown>>,
  fresh: {
    readonly key: string;
    readonly limits: RootLimits;
    readonly tools: readonly string[];
    readonly nowMs: number;
  },
): AgentBudget {
  const carried = meta[agentBudgetMetaKey];
  const { minutes, ...limits } = fresh.limits;
  if (carried === undefined) {
    return {
      root: fresh.key,
      tasks: [],
      chain: [],
      ...limits,
      deadlineMs: fresh.nowMs + minutes * minuteMs,
      tools: [...fresh.tools],
    };
  }
  const parsed = agentBudgetSchema.safeParse(carried);
  if (!parsed.success) throw new BadBudgetError();
  const { data } = parsed;
  // A client can send what it likes: it gets no more than a new task would.
  return {
    ...data,
    depth: Math.min(data.depth, limits.depth),
    rounds: Math.min(data.rounds, limits.rounds),
    calls: Math.min(data.calls, limits.calls),
    tokens: Math.min(data.tokens, limits.tokens),
    moneyUsd: Math.min(data.moneyUsd, limits.moneyUsd),
    deadlineMs: Math.min(data.deadlineMs, fresh.nowMs + minutes * minuteMs),
    tools: intersect(data.tools, fresh.tools),
  };
}

/** What a task can still use, with all tasks that it is a part of. */
export type Left = Pick<AgentBudget, 'rounds' | 'calls' | 'tokens' | 'moneyUsd'>;

/** What models used on behalf of tasks, by their ids. */
export type SpentBy = (
  caller: Caller,
  ids: readonly string[],
) => Promise<readonly { readonly tokens: number; readonly usd: number }[]>;

/** Of each unit the least that any of the tasks has left. */
export async function leftOf(
  { store, spentBy }: { readonly store: Pick<DelegationStore, 'used'>; readonly spentBy: SpentBy },
  caller: Caller,
  { tasks, rounds, calls, tokens, moneyUsd }: AgentBudget,
): Promise<Left> {
  const ids = tasks.map(({ id }) => id);
  const [used, spent] = await Promise.all([store.used(caller.id, ids), spentBy(caller, ids)]);
  const left: Left = { rounds, calls, tokens, moneyUsd };
  for (const [index, task] of tasks.entries()) {
    const { calls: made = 0, rounds: begun = 0 } = used[index] ?? {};
    const { tokens: taken = 0, usd = 0 } = spent[index] ?? {};
    left.calls = Math.max(0, Math.min(left.calls, task.calls - made));
    left.rounds = Math.max(0, Math.min(left.rounds, (task.rounds ?? Infinity) - begun));
    left.tokens = Math.max(0, Math.min(left.tokens, (task.tokens ?? Infinity) - taken));
    left.moneyUsd = Math.max(0, Math.min(left.moneyUsd, (task.moneyUsd ?? Infinity) - usd));
  }
  return left;
}

interface Hop {
  readonly agent: AgentDefinition;
  /** What the agent's file allows of the tools there are. */
  readonly tools: readonly string[];
  readonly id: string;
  readonly nowMs: number;
  readonly left: Left;
  /** A procedure asks no model for what to do. */
  readonly needsModel: boolean;
}

/** What the agent gets: the smaller of what is left and of its own limits. Throws where nothing is left. */
export function narrow(budget: AgentBudget, hop: Hop): AgentBudget {
  const { agent, tools, id, nowMs, left } = hop;
  if (budget.chain.includes(agent.name))
    throw new CircularDelegationError(agent.name, budget.chain);
  if (budget.depth <= 0) throw new NestedAgentsError(budget.chain);
  if (budget.deadlineMs <= nowMs) throw new BudgetExceededError('time', budget.chain);
  if (left.calls <= 0) throw new BudgetExceededError('calls', budget.chain);
  if (budget.rounds <= 0) throw new BudgetExceededError('rounds', budget.chain);
  if (hop.needsModel) checkModelBudget(budget, left);
  const { limits } = agent;
  const own = {
    calls: limits.calls,
    rounds: limits.rounds,
    tokens: limits.tokens,
    moneyUsd: limits.money_usd,
  };
  return {
    root: budget.root,
    // What is left of its own limits is counted under its id, also after a crash.
    tasks: [...budget.tasks, { id, ...own }],
    chain: [...budget.chain, agent.name],
    depth: Math.min(budget.depth - 1, limits.depth),
    rounds: Math.min(left.rounds, own.rounds),
    calls: Math.min(left.calls, own.calls),
    tokens: Math.min(left.tokens, own.tokens),
    moneyUsd: Math.min(left.moneyUsd, own.moneyUsd),
    deadlineMs: Math.min(budget.deadlineMs, nowMs + limits.minutes * minuteMs),
    tools: intersect(budget.tools, tools),
  };
}

/** A limit of no money lets models work that cost nothing. */
function checkModelBudget({ chain, moneyUsd }: AgentBudget, left: Left): void {
  if (left.rounds <= 0) throw new BudgetExceededError('rounds', chain);
  if (left.tokens <= 0) throw new BudgetExceededError('tokens', chain);
  if (moneyUsd > 0 && left.moneyUsd <= 0) throw new BudgetExceededError('money', chain);
}

function intersect(some: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return some.filter((tool) => known.has(tool));
}

interface Use {
  readonly caller: Caller;
  readonly unit: UsageUnit;
  readonly nowMs: number;
}

/** Counts one more for a task and those around it. Throws `agents.budget_exceeded` where one of them has none left. */
export async function use(
  store: Pick<DelegationStore, 'use'>,
  { tasks, chain }: AgentBudget,
  { caller, unit, nowMs }: Use,
): Promise<void> {
  const limited = tasks.map(({ id, ...limits }) => ({ id, limit: limits[unit] ?? Infinity }));
  const isCounted = await store.use(caller.id, { unit, tasks: limited, nowMs });
  if (!isCounted) throw new BudgetExceededError(unit, chain);
}

/**
 * Holds the calls of agents to their budgets, wherever a call was made up: a tool that the budget does not name is
 * refused, and so is one call too many of the task or of a task around it. Counts are stored: after a crash a task
 * goes on from where it was, and a call that is repeated counts again.
 */
export class CallCounter {
  readonly #store: Pick<DelegationStore, 'use'>;
  readonly #clock: Clock;

  constructor(store: Pick<DelegationStore, 'use'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Throws `agents.tool_not_allowed`, `agents.budget_exceeded`. Calls without a budget are no agents'. */
  async take({ caller, meta }: Pick<CallContext, 'caller' | 'meta'>, tool: string): Promise<void> {
    const carried = meta[agentBudgetMetaKey];
    if (carried === undefined) return;
    const parsed = agentBudgetSchema.safeParse(carried);
    if (!parsed.success) throw new BadBudgetError();
    const { tools, chain } = parsed.data;
    if (!tools.includes(tool)) throw new ToolNotAllowedError(tool, chain);
    await use(this.#store, parsed.data, { caller, unit: 'calls', nowMs: this.#clock.now() });
  }
}
