import type { PlanCheck, PlanProblem } from '../../contract/plan/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import {
  compilePlan,
  parsePlan,
  type CompiledPlan,
  type ParseOptions,
  formatReference,
  type CompiledStep,
  type Condition,
  type Template,
} from '../plan/index.ts';
import { checkCall, checkCondition, checkSubPlanInput } from './check-call.ts';
import { callsAgents, type KnownAgent } from './check-delegation.ts';
import { checkDeclarations } from './check-declarations.ts';
import { optimizePlan, wouldChange } from './optimize-plan.ts';
import { type ToolLookup, createPlanTypes, type Locals } from './plan-types.ts';
import { describeKinds, kind, kindsOf, numberKinds, Effort } from './schema/schema-node.ts';
import { createPatternTest } from './schema/test-pattern.ts';
import {
  type ApprovalPolicy,
  type CheckLimits,
  createUnknownToolDescription,
  Problems,
  type Finding,
  type PlaceOf,
  checkReferences,
  ownStep,
  type Checking,
  type StepPlace,
  type StepReport,
} from './step-place.ts';

export interface InspectOptions {
  readonly tools: ToolLookup;
  /** As they are registered now; asked for where a plan has steps of agents. */
  readonly agents?: () => Promise<readonly KnownAgent[]>;
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
  const agents = draft && callsAgents(draft) ? await options.agents?.() : undefined;
  const found = draft ? checkPlan({ plan: draft, tools, agents, limits, policy, placeOf }) : [];
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

/** From top to bottom of the file; those of other files last. */
function inOrder(problems: readonly PlanProblem[]): readonly PlanProblem[] {
  return problems.toSorted((a, b) => compareFiles(a, b) || (a.line ?? 0) - (b.line ?? 0));
}

function compareFiles(a: PlanProblem, b: PlanProblem): number {
  const [left, right] = [a.file ?? '', b.file ?? ''];
  return left === right ? 0 : left < right ? -1 : 1;
}

/** `[from, to]` by path; edges within sub-plans included. */
function edgesOf(plan: CompiledPlan, prefix = ''): (readonly [from: string, to: string])[] {
  return plan.steps.flatMap((step) => [
    ...step.needs.map(
      (need) => [`${prefix}${plan.steps[need]?.id ?? ''}`, `${prefix}${step.id}`] as const,
    ),
    ...(step.kind === 'plan' ? edgesOf(step.plan, `${prefix}${step.id}/`) : []),
  ]);
}

interface PlanToCheck {
  readonly plan: CompiledPlan;
  readonly tools: ToolLookup;
  readonly agents: readonly KnownAgent[] | undefined;
  readonly limits: CheckLimits;
  readonly policy: ApprovalPolicy;
  readonly placeOf?: PlaceOf;
}

/**
 * All that is wrong with a plan against the tools there are. An error is what cannot work whatever the
 * tools answer; what may work is a warning at most.
 */
function checkPlan({ placeOf, ...checked }: PlanToCheck): readonly PlanProblem[] {
  const { plan, tools, limits } = checked;
  const problems = new Problems(placeOf ?? (() => ({ line: null })));
  const report = (finding: Finding): void => problems.add(finding);
  const steps = countSteps(plan);
  if (steps > limits.maxSteps) {
    report({
      step: null,
      at: ['steps'],
      code: 'plan.too_many_steps',
      message: `The plan has ${steps} steps, those of its sub-plans included, and at most ${limits.maxSteps} are allowed (workflow.max_steps). Use forEach, or cut it into several plans`,
    });
  }
  checkAt(plan, {
    ...checked,
    types: createPlanTypes(plan, tools),
    testPattern: createPatternTest(),
    describeUnknownTool: createUnknownToolDescription(tools),
    prefix: '',
    at: [],
    report,
    isFull: () => problems.isFull,
  });
  return problems.all();
}

/** Sub-plans are nested to a limited depth, which limits the recursion. */
function countSteps(plan: CompiledPlan): number {
  return plan.steps.reduce(
    (sum, step) => sum + 1 + (step.kind === 'plan' ? countSteps(step.plan) : 0),
    0,
  );
}

function checkAt(plan: CompiledPlan, checking: Checking): void {
  checkDeclarations(plan, checking);
  for (const step of plan.steps) {
    if (checking.isFull()) return;
    checkStep(step, checking);
  }
  if (!plan.output) return;
  const report: StepReport = (at, finding) =>
    checking.report({ step: ownStep(checking), at: [...checking.at, ...at], ...finding });
  checkReferences(plan.output, { field: ['output'], locals: {}, checking, report });
}

function checkStep(step: CompiledStep, checking: Checking): void {
  const path = `${checking.prefix}${step.id}`;
  const report: StepReport = (at, finding) =>
    checking.report({ step: path, at: [...checking.at, 'steps', step.index, ...at], ...finding });
  const locals: Locals = { item: checking.types.itemOf(step) };
  const place = { locals, checking, report };
  if (step.forEach) checkForEach(step.forEach, place);
  if (step.when) checkWhen(step.when, place);
  if (step.message) checkReferences(step.message, { field: ['approval', 'message'], ...place });
  switch (step.kind) {
    case 'call':
      checkReferences(step.args, { field: ['args'], ...place });
      checkCall(step, place);
      return;
    case 'sleep':
      checkReferences(step.duration, { field: ['sleep'], ...place });
      checkSleep(step.duration, place);
      return;
    case 'plan':
      checkReferences(step.input, { field: ['input'], ...place });
      checkSubPlanInput(step, place);
      checkAt(step.plan, {
        ...checking,
        types: checking.types.within(step),
        prefix: `${path}/`,
        at: [...checking.at, 'steps', step.index, 'plan'],
      });
      return;
    case 'wait':
    case 'gate':
      return;
  }
}

function checkWhen(when: Condition, { checking, report }: StepPlace): void {
  checkCondition(when, { locals: {}, checking, report }, ['when']);
}

function checkForEach(forEach: Template, place: StepPlace): void {
  const { checking, report } = place;
  checkReferences(forEach, { field: ['forEach'], ...place, locals: {} });
  const { node } = forEach;
  if (node.kind === 'whole') {
    const kinds = kindsOf(checking.types.typeOf(node.reference, {}), new Effort());
    if ((kinds & kind.array) !== 0 || kinds === 0) return;
    report(['forEach'], {
      code: 'plan.not_a_list',
      message: `"forEach" needs a list, and ${formatReference(node.reference)} is ${describeKinds(kinds)}`,
    });
    return;
  }
  const { maxItems } = checking.limits;
  const count = Array.isArray(forEach.source) ? forEach.source.length : 0;
  if (count > maxItems) {
    report(['forEach'], {
      code: 'plan.too_many_items',
      message: `"forEach" goes through ${count} elements, and at most ${maxItems} are allowed (workflow.max_items)`,
    });
  }
}

function checkSleep({ node }: Template, { checking, locals, report }: StepPlace): void {
  if (node.kind !== 'whole') return;
  const kinds = kindsOf(checking.types.typeOf(node.reference, locals), new Effort());
  if (kinds === 0 || (kinds & (kind.string | numberKinds)) !== 0) return;
  report(['sleep'], {
    code: 'plan.type_mismatch',
    message: `"sleep" needs milliseconds or a text such as 30s, and ${formatReference(node.reference)} is ${describeKinds(kinds)}`,
  });
}
