import type { Plan } from '../../contract/plan/index.ts';
import { onceFor } from '../../kernel/index.ts';
import { compilePlan } from '../plan/index.ts';
import { prepareProgram } from './program.ts';
import type { PlannedRun } from './run-outcome.ts';

/** A plan with all that can be worked out before a run of it. Throws `plan.invalid`. */
export type PreparePlan = (plan: Plan) => Pick<Required<PlannedRun>, 'plan' | 'program'>;

/** Works it out once for each plan, however many runs there are of it. */
export function preparePlans(): PreparePlan {
  return onceFor((plan: Plan) => {
    const compiled = compilePlan(plan);
    return { plan: compiled, program: prepareProgram(compiled) };
  });
}
