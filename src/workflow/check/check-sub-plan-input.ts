import type { CompiledStep } from '../plan/index.ts';
import { reportMismatch } from './check-call.ts';
import type { StepPlace } from './step-place.ts';
import { fitValue } from './schema/fit-value.ts';
import { Effort } from './schema/schema-node.ts';

/** Every input of the sub-plan is bound or has a default, and what is bound fits. */
export function checkSubPlanInput(
  step: CompiledStep & { readonly kind: 'plan' },
  { checking, locals, report }: StepPlace,
): void {
  const value = checking.types.fill(step.input.node, locals);
  const { input } = checking.types.within(step);
  const fitting = { effort: new Effort(), testPattern: checking.testPattern };
  for (const mismatch of fitValue(value, input, fitting)) {
    reportMismatch(mismatch, { report, name: 'of the sub-plan', field: ['input'], noun: 'input' });
  }
}
