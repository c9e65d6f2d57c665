import type { CompiledPlan, CompiledStep } from '../plan/compiled-plan.ts';
import { aroundOf } from './keys.ts';
import type { RunPicture } from './run-picture.ts';
import type { StepPicture } from './step-picture.ts';

/**
 * The paths a retry forgets: what failed, also where that counts as skipped, and all that needs it; with
 * `fromStep` also that and what needs it. Of a `forEach` or a sub-plan only what failed in it, and what
 * needs that.
 */
export function stepsToForget(
  plan: CompiledPlan,
  { steps }: RunPicture,
  fromStep?: string,
): readonly string[] {
  const forgotten = new Set<string>();
  const around = aroundFailed(steps);
  for (const [path, step] of steps) {
    if (hasFailed(step) && !around.has(path)) forgetWithNeeding(plan, path, forgotten);
  }
  if (fromStep !== undefined) forgetWithNeeding(plan, fromStep, forgotten);
  return [...forgotten];
}

function hasFailed({ status, error }: StepPicture): boolean {
  return status === 'failed' || (status === 'skipped' && error !== undefined);
}

/** Paths of what something within them failed in: that is then what is tried again. */
function aroundFailed(steps: ReadonlyMap<string, StepPicture>): ReadonlySet<string> {
  const around = new Set<string>();
  for (const [path, step] of steps) {
    if (!hasFailed(step)) continue;
    for (let at = aroundOf(path); at !== undefined; at = aroundOf(at)) around.add(at);
  }
  return around;
}

/** The path, and in each plan around it all steps that need the one it belongs to. */
export function forgetWithNeeding(plan: CompiledPlan, path: string, forgotten: Set<string>): void {
  forgotten.add(path);
  for (let at: string | undefined = path; at !== undefined; at = aroundOf(at)) {
    if (at.endsWith(']')) continue;
    const slash = at.lastIndexOf('/');
    const prefix = at.slice(0, slash + 1);
    const around = planAt(plan, prefix);
    const start = around?.steps.find((step) => step.id === at.slice(slash + 1));
    if (around === undefined || start === undefined) continue;
    const open = [...start.neededBy];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      const step = around.steps[index];
      if (step === undefined || forgotten.has(prefix + step.id)) continue;
      forgotten.add(prefix + step.id);
      open.push(...step.neededBy);
    }
  }
}

/** The plan whose steps have paths that begin with `outer[2]/inner/`. */
function planAt(plan: CompiledPlan, prefix: string): CompiledPlan | undefined {
  let found: CompiledPlan | undefined = plan;
  for (const segment of prefix.split('/').slice(0, -1)) {
    const id = segment.endsWith(']') ? segment.slice(0, segment.lastIndexOf('[')) : segment;
    const step: CompiledStep | undefined = found?.steps.find((candidate) => candidate.id === id);
    found = step?.kind === 'plan' ? step.plan : undefined;
  }
  return found;
}
