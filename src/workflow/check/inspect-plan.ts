import type { PlanCheck, PlanProblem } from '../../contract/plan/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import { compilePlan, parsePlan, type CompiledPlan, type ParseOptions } from '../plan/index.ts';
import { checkPlan } from './check-plan.ts';
import { optimizePlan, wouldChange } from './optimize/optimize-plan.ts';
import type { ApprovalPolicy, CheckLimits } from './step-place.ts';
import type { ToolLookup } from './tool-lookup.ts';

export interface InspectOptions {
  readonly tools: ToolLookup;
  readonly limits: CheckLimits;
  readonly policy: ApprovalPolicy;
  /** Reads the file of a sub-plan; without it sub-plans stand within their plan. */
  readonly readFile?: ParseOptions['readFile'];
  /** The plan that is given back, and its edges, are those of the optimized one. */
  readonly optimize: boolean;
}

/** Reads a plan, checks all of it and says how it would run. Never throws for a bad plan, and starts nothing. */
export async function inspectPlan(source: PlanSource, options: InspectOptions): Promise<PlanCheck> {
  const { tools, limits, policy, readFile } = options;
  const parsed = await parsePlan(source, {
    ...(readFile && { readFile }),
    limits: { maxSteps: limits.maxSteps },
  });
  const draft = parsed.compiled ?? parsed.draft;
  const placeOf = (path: string) => parsed.placeOf(path);
  const found = draft ? checkPlan({ plan: draft, tools, limits, policy, placeOf }) : [];
  const named = found.map((problem) => ({ ...problem, step: parsed.nameOf(problem.step) }));
  const problems = [...parsed.problems, ...named];
  const errors = inOrder(problems.filter((problem) => problem.severity === 'error'));
  const warnings = inOrder(problems.filter((problem) => problem.severity === 'warning'));
  if (!parsed.compiled || errors.length > 0) {
    return {
      ok: false,
      errors,
      warnings,
      edges: draft ? edgesOf(draft) : [],
      optimizations: [],
      ...(parsed.plan && { plan: parsed.plan }),
    };
  }
  const { plan, changes } = optimizePlan(parsed.compiled, tools);
  const chosen = options.optimize && changes.length > 0 ? compilePlan(plan) : parsed.compiled;
  return {
    ok: true,
    errors,
    warnings,
    edges: edgesOf(chosen),
    optimizations: options.optimize ? changes : changes.map(wouldChange),
    plan: chosen.plan,
  };
}

/** As somebody reads the file from top to bottom; those of other files last. */
function inOrder(problems: readonly PlanProblem[]): readonly PlanProblem[] {
  return problems.toSorted((a, b) => compareFiles(a, b) || (a.line ?? 0) - (b.line ?? 0));
}

function compareFiles(a: PlanProblem, b: PlanProblem): number {
  const [left, right] = [a.file ?? '', b.file ?? ''];
  return left === right ? 0 : left < right ? -1 : 1;
}

/** `[from, to]` by path; edges within sub-plans included. */
export function edgesOf(plan: CompiledPlan, prefix = ''): (readonly [from: string, to: string])[] {
  return plan.steps.flatMap((step) => [
    ...step.needs.map(
      (need) => [`${prefix}${plan.steps[need]?.id ?? ''}`, `${prefix}${step.id}`] as const,
    ),
    ...(step.kind === 'plan' ? edgesOf(step.plan, `${prefix}${step.id}/`) : []),
  ]);
}
