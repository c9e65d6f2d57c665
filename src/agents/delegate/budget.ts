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

interface Hop {
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

/** Tasks whose calls are counted at once; of more, those that began first are counted anew. */
const maxTasks = 10_000;

/**
 * Holds the calls of agents to their budgets, wherever a call was made up: a tool that the budget does not name is
 * refused, and so is one call too many of the task or of a task around it. Counts are of this process: a task
 * that goes on after a crash repeats no call, and counts from there.
 */
export class CallCounter {
  readonly #used = new Map<string, number>();

  /** Throws `agents.tool_not_allowed`, `agents.budget_exceeded`. Calls without a budget are no agents'. */
  take(meta: Readonly<Record<string, unknown>>, tool: string): void {
    const carried = meta[agentBudgetMetaKey];
    if (carried === undefined) return;
    const parsed = agentBudgetSchema.safeParse(carried);
    if (!parsed.success) throw new BadBudgetError();
    const { tasks, chain, tools } = parsed.data;
    if (!tools.includes(tool)) throw new ToolNotAllowedError(tool, chain);
    const isUsedUp = tasks.some(({ id, calls }) => this.usedBy(id) >= calls);
    if (isUsedUp) throw new BudgetExceededError('calls', chain);
    for (const { id } of tasks) this.#used.set(id, this.usedBy(id) + 1);
    for (const oldest of this.#used.keys()) {
      if (this.#used.size <= maxTasks) break;
      this.#used.delete(oldest);
    }
  }

  /** How many calls a task and those below it have made. */
  usedBy(id: string): number {
    return this.#used.get(id) ?? 0;
  }
}
