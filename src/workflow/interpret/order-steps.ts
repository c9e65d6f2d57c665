import type { CompiledPlan, CompiledStep } from '../plan/compiled-plan.ts';
import type { StepPicture } from './step-picture.ts';

/** All steps of a plan in its order, those not begun yet among them. */
export function orderSteps(
  plan: CompiledPlan,
  known: ReadonlyMap<string, StepPicture>,
): ReadonlyMap<string, StepPicture> {
  const ordered = new Map<string, StepPicture>();
  addSteps({ plan, prefix: '' }, known, ordered);
  return ordered;
}

interface Place {
  readonly plan: CompiledPlan;
  readonly prefix: string;
}

function addSteps(
  { plan, prefix }: Place,
  known: ReadonlyMap<string, StepPicture>,
  ordered: Map<string, StepPicture>,
): void {
  for (const step of plan.steps) {
    const path = prefix + step.id;
    const found = known.get(path);
    ordered.set(path, found ?? notBegun(step));
    if (step.forEach === undefined) {
      if (step.kind === 'plan') addSteps({ plan: step.plan, prefix: `${path}/` }, known, ordered);
      continue;
    }
    for (let index = 0; index < (found?.items?.total ?? 0); index += 1) {
      const elementPath = `${path}[${index}]`;
      const element = known.get(elementPath);
      if (element === undefined) continue;
      ordered.set(elementPath, element);
      if (step.kind === 'plan') {
        addSteps({ plan: step.plan, prefix: `${elementPath}/` }, known, ordered);
      }
    }
  }
}

function notBegun(step: CompiledStep): StepPicture {
  return {
    status: 'pending',
    tool: step.kind === 'call' ? step.tool : null,
    startedAt: null,
    endedAt: null,
    attempts: 0,
  };
}
