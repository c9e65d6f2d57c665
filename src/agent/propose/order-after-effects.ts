import type { Plan, Step } from '../../contract/plan/index.ts';
import { isReadOnly } from './capability.ts';
import type { GuardRules } from './guard-plan.ts';

/**
 * Steps that do not refer to one another run at once. A model lists a check after a change because it is to see the
 * change, so a step of ours that stands after an effect waits for it. Strangers' steps stay as they are: what they
 * refer to counts as sent to them.
 */
export function orderAfterEffects(
  plan: Plan,
  { capability, isTrusted }: Pick<GuardRules, 'capability' | 'isTrusted'>,
): Plan {
  let effect: string | undefined;
  const steps = plan.steps.map((step) => {
    const before = effect;
    const entry = capability.find(step.tool ?? '');
    if (!entry) return step;
    if (!isReadOnly(entry.tool.annotations)) effect = step.id;
    const mustWait = before !== undefined && isTrusted(entry.server) && !refersTo(step, before);
    return mustWait ? { ...step, when: waitFor(before, step.when) } : step;
  });
  return { ...plan, steps };
}

/** Always true: only the reference in it counts, also where that step was skipped. */
function waitFor(id: string, when: Step['when']): string {
  const order = `(exists(\${${id}}) || !exists(\${${id}}))`;
  return when === undefined ? order : `${order} && (${String(when)})`;
}

function refersTo({ args, when, forEach }: Step, id: string): boolean {
  return new RegExp(String.raw`\$\{[^}]*\b${id}\b`).test(JSON.stringify([args, when, forEach]));
}

/** What of a condition is no more than an order of steps, as people say it. */
export function sayOrder(when: NonNullable<Step['when']>): string {
  return String(when).replace(
    /^\(exists\(\$\{([\w-]+)\}\) \|\| !exists\(\$\{\1\}\)\)(?: && \((.*)\))?$/s,
    (_all, id: string, rest?: string) => `after ${id}${rest === undefined ? '' : `, when ${rest}`}`,
  );
}
