import { agentBudgetMetaKey, agentBudgetSchema } from '../../contract/agents/index.ts';
import { BadBudgetError, BudgetExceededError, ToolNotAllowedError } from '../errors.ts';

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
