import type { Caller } from '../../contract/caller/index.ts';
import type { Json, Plan, PlanCheck } from '../../contract/plan/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import type { PreparePlan } from '../interpret/index.ts';
import type { CompiledPlan } from '../plan/compiled-plan.ts';

/** All that is known about plans before they run. */
export interface PlanDesk {
  check(
    caller: Caller,
    source: PlanSource,
    options: { readonly optimize: boolean },
  ): Promise<PlanCheck>;
  draw(plan: Plan, format: 'text' | 'mermaid' | 'svg'): string;
  /** A plan that was checked, or stored after it was. */
  readonly prepare: PreparePlan;
  /** What is wrong with the values a run is to be given, as sentences. */
  checkInput(plan: CompiledPlan, input: Readonly<Record<string, Json>>): readonly string[];
}
