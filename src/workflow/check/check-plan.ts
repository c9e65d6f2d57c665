import type { PlanProblem } from '../../contract/plan/index.ts';
import {
  formatReference,
  type CompiledPlan,
  type CompiledStep,
  type Condition,
  type Template,
} from '../plan/index.ts';
import { checkCall } from './check-call.ts';
import { checkCondition } from './check-condition.ts';
import { checkDeclarations } from './check-declarations.ts';
import { checkSubPlanInput } from './check-sub-plan-input.ts';
import { createUnknownToolDescription } from './describe-unknown-tool.ts';
import { createPlanTypes, type Locals } from './plan-types.ts';
import { Problems, type Finding, type PlaceOf } from './problems.ts';
import { describeKinds, kind, kindsOf, numberKinds } from './schema/kinds.ts';
import { Effort } from './schema/schema-node.ts';
import { createPatternTest } from './schema/test-pattern.ts';
import {
  checkReferences,
  ownStep,
  type ApprovalPolicy,
  type Checking,
  type CheckLimits,
  type StepPlace,
  type StepReport,
} from './step-place.ts';
import type { ToolLookup } from './tool-lookup.ts';

export interface PlanToCheck {
  readonly plan: CompiledPlan;
  readonly tools: ToolLookup;
  readonly limits: CheckLimits;
  readonly policy: ApprovalPolicy;
  readonly placeOf?: PlaceOf;
}

/**
 * All that is wrong with a plan against the tools there are. An error is what cannot work whatever the
 * tools answer; what may work is a warning at most.
 */
export function checkPlan({
  plan,
  tools,
  limits,
  policy,
  placeOf,
}: PlanToCheck): readonly PlanProblem[] {
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
    types: createPlanTypes(plan, tools),
    tools,
    limits,
    policy,
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
