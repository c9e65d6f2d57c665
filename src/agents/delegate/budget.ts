import {
  agentBudgetMetaKey,
  agentBudgetSchema,
  type AgentBudget,
  type AgentDefinition,
} from '../../contract/agents/index.ts';
import {
  BadBudgetError,
  BudgetExceededError,
  CircularDelegationError,
  NestedAgentsError,
} from '../errors.ts';

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

export interface Hop {
  readonly agent: AgentDefinition;
  /** What the agent's file allows of the tools there are. */
  readonly tools: readonly string[];
  readonly id: string;
  readonly nowMs: number;
}

/** What the agent gets: the smaller of what is left and of its own limits. Throws where nothing is left. */
export function narrow(budget: AgentBudget, { agent, tools, id, nowMs }: Hop): AgentBudget {
  if (budget.chain.includes(agent.name))
    throw new CircularDelegationError(agent.name, budget.chain);
  if (budget.depth <= 0) throw new NestedAgentsError(budget.chain);
  if (budget.deadlineMs <= nowMs) throw new BudgetExceededError('time', budget.chain);
  if (budget.calls <= 0) throw new BudgetExceededError('calls', budget.chain);
  if (budget.rounds <= 0) throw new BudgetExceededError('rounds', budget.chain);
  const { limits } = agent;
  const calls = Math.min(budget.calls, limits.calls);
  return {
    root: budget.root,
    tasks: [...budget.tasks, { id, calls }],
    chain: [...budget.chain, agent.name],
    depth: Math.min(budget.depth - 1, limits.depth),
    rounds: Math.min(budget.rounds, limits.rounds),
    calls,
    tokens: Math.min(budget.tokens, limits.tokens),
    moneyUsd: Math.min(budget.moneyUsd, limits.money_usd),
    deadlineMs: Math.min(budget.deadlineMs, nowMs + limits.minutes * minuteMs),
    tools: intersect(budget.tools, tools),
  };
}

function intersect(some: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return some.filter((tool) => known.has(tool));
}
