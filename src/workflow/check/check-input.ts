import type { Json } from '../../contract/plan/index.ts';
import type { CompiledPlan } from '../plan/index.ts';
import { inputType } from './plan-types.ts';
import { fitValue } from './schema/fit-value.ts';
import { showPath } from './schema/mismatch.ts';
import { Effort } from './schema/schema-node.ts';
import { createPatternTest } from './schema/test-pattern.ts';

/** What is wrong with the values a run is to be given, as sentences. */
export function checkInput(
  plan: CompiledPlan,
  input: Readonly<Record<string, Json>>,
): readonly string[] {
  // Most plans declare none and are given none.
  if (plan.plan.input === undefined && Object.keys(input).length === 0) return [];
  const fitting = { effort: new Effort(), testPattern: createPatternTest() };
  return fitValue(input, inputType(plan), fitting).map(({ at, is, message }) => {
    const hint =
      is === 'missing' && at.length === 1 ? `; give it with --input ${String(at[0])}=…` : '';
    return `Input "${showPath(at)}" ${message}${hint}`;
  });
}
