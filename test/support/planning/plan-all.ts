import { performance } from 'node:perf_hooks';
import type { Planner, PlanningAnswer } from '../../../src/agent/planner/index.ts';
import { isHousekeeping, isOfferable, planMessage } from '../../../src/agent/propose/index.ts';
import type { CatalogueEntry } from '../../../src/contract/catalogue/index.ts';
import { inspectPlan } from '../../../src/workflow/check/index.ts';
import { askedOf, type PlanningCase } from './planning-requests.ts';
import { isSurelyWrong, scorePlanning, type Score } from './score-planning.ts';

export interface Planned {
  readonly one: PlanningCase;
  readonly answer: PlanningAnswer;
  readonly score: Score;
  readonly ms: number;
  /** What the type check says against any of its plans. */
  readonly errors: readonly string[];
}

/** Asks the planner all cases, one after the other, and checks what it gives. */
export async function planAll(
  planner: Planner,
  cases: readonly PlanningCase[],
  tools: readonly CatalogueEntry[],
): Promise<readonly Planned[]> {
  const byName = new Map(tools.map(({ name, tool }) => [name, tool]));
  const lookup = { find: (name: string) => byName.get(name), names: () => [...byName.keys()] };
  const limits = { maxSteps: 100, maxItems: 10 };
  const { signal } = new AbortController();
  const offered = tools.filter((entry) => isOfferable(entry) && !isHousekeeping(entry));
  const planned: Planned[] = [];
  for (const one of cases) {
    const startedAt = performance.now();
    const answer = await planMessage(planner, { ...askedOf(one, offered), signal });
    const ms = performance.now() - startedAt;
    const errors: string[] = [];
    for (const { plan } of 'candidates' in answer ? answer.candidates : []) {
      const options = { tools: lookup, limits, policy: 'plan', optimize: false } as const;
      const check = await inspectPlan({ kind: 'data', plan }, options);
      errors.push(...check.errors.map(({ message }) => `${one.id}: ${message}`));
    }
    planned.push({ one, answer, score: scorePlanning(one, answer), ms, errors });
  }
  return planned;
}

/** Parts of all cases, in percent, as the goals name them. */
export function sumUp(planned: readonly Planned[]) {
  const percent = (some: readonly Planned[], all: readonly Planned[]): number =>
    all.length === 0 ? 0 : (some.length / all.length) * 100;
  const ambiguous = planned.filter(({ one }) => one.expect === 'clarify');
  const outside = planned.filter(({ one }) => one.expect === 'refuse' && one.category !== 'about');
  return {
    right: percent(
      planned.filter(({ score }) => score === 'right'),
      planned,
    ),
    amongThree: percent(
      planned.filter(({ score }) => score === 'right' || score === 'among'),
      planned,
    ),
    surelyWrong: percent(
      planned.filter(({ one, answer }) => isSurelyWrong(one, answer)),
      planned,
    ),
    asked: percent(
      ambiguous.filter(({ score }) => score === 'right'),
      ambiguous,
    ),
    refused: percent(
      outside.filter(({ answer }) => answer.kind === 'refusal'),
      outside,
    ),
  };
}
