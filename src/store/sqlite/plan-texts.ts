import type { Plan } from '../../contract/plan/index.ts';
import { RecentValues } from '../../kernel/index.ts';

/** Characters of plans that are kept. */
const keptLength = 16_777_216;

/**
 * Plans and their texts, those used lately: a plan that is run again and again is written and read once,
 * and all its runs have the same object, for which others remember what they made of it. Plans never change.
 */
export class PlanTexts {
  readonly #plans = new RecentValues<Plan>(keptLength);
  readonly #texts = new WeakMap<Plan, string>();

  textOf(plan: Plan): string {
    const known = this.#texts.get(plan);
    if (known !== undefined) return known;
    const text = JSON.stringify(plan);
    this.#keep(text, plan);
    return text;
  }

  planOf(text: string, parse: () => Plan): Plan {
    const known = this.#plans.get(text);
    if (known !== undefined) return known;
    const plan = parse();
    this.#keep(text, plan);
    return plan;
  }

  #keep(text: string, plan: Plan): void {
    this.#plans.set(text, plan);
    this.#texts.set(plan, text);
  }
}
