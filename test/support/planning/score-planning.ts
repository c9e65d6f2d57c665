import type { PlanningAnswer } from '../../../src/agent/planner/index.ts';
import type { PlanningCase } from './planning-requests.ts';

/**
 * right: what a careful person would do · among: a later candidate is · asked: a question instead of a plan ·
 * refused: a refusal instead of it · wrong: a plan with other tools.
 */
export type Score = 'right' | 'among' | 'asked' | 'refused' | 'wrong';

/** Compares by the names of the tools alone; optional ones may be there or not. */
export function scorePlanning(one: PlanningCase, answer: PlanningAnswer): Score {
  if (one.expect !== 'plan') {
    if (answer.kind === 'plan') return 'wrong';
    if (answer.kind === 'question') return one.expect === 'clarify' ? 'right' : 'asked';
    return one.expect === 'refuse' ? 'right' : 'refused';
  }
  if (answer.kind === 'refusal') return 'refused';
  const at = answer.candidates.findIndex((candidate) => isGold(one, toolsOf(candidate)));
  if (answer.kind === 'question') return at >= 0 ? 'among' : 'asked';
  return at === 0 ? 'right' : at > 0 ? 'among' : 'wrong';
}

export function toolsOf({
  plan,
}: {
  readonly plan: { readonly steps: readonly { readonly tool?: string | undefined }[] };
}): readonly string[] {
  return plan.steps.map(({ tool }) => tool?.split('.').at(-1) ?? '');
}

function isGold(one: PlanningCase, tools: readonly string[]): boolean {
  const isFree = (tool: string): boolean => one.optional.includes(tool);
  const wanted = one.gold.map(({ tool }) => tool).filter((tool) => !isFree(tool));
  const got = tools.filter((tool) => !isFree(tool));
  return wanted.toSorted().join() === got.toSorted().join();
}
