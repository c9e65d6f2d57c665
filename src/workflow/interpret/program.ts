import type { Plan } from '../../contract/plan/index.ts';
import { onceFor } from '../../kernel/index.ts';
import type { CompiledPlan, CompiledStep } from '../plan/compile-plan.ts';
import { compilePlan } from '../plan/index.ts';
import type { Template } from '../plan/template.ts';

/** A plan with all the interpreter would else work out again for each run of a step. */
export interface Program {
  readonly plan: CompiledPlan;
  readonly steps: readonly ProgramStep[];
  readonly indexById: ReadonlyMap<string, number>;
  /** By index of the step: how many steps it needs. */
  readonly needCounts: readonly number[];
}

export interface ProgramStep {
  readonly compiled: CompiledStep;
  readonly tool: string | null;
  /** Steps it cannot do without: it is skipped when one of them is. Those only `when` refers to are not among them. */
  readonly inputs: readonly number[];
  /** Of a step that runs a plan. */
  readonly inner: Program | undefined;
  readonly needsApproval: boolean;
  readonly onFailure: 'stop' | 'skip' | 'repair';
}

export function prepareProgram(plan: CompiledPlan): Program {
  const indexById = new Map(plan.steps.map((step) => [step.id, step.index]));
  return {
    plan,
    indexById,
    needCounts: plan.steps.map((step) => step.needs.length),
    steps: plan.steps.map((step) => prepareStep(step, indexById)),
  };
}

function prepareStep(compiled: CompiledStep, indexById: ReadonlyMap<string, number>): ProgramStep {
  const { step } = compiled;
  const reconcileArgs = compiled.kind === 'call' ? compiled.reconcileArgs : undefined;
  const inputs = new Set<number>();
  for (const template of [
    workTemplate(compiled),
    compiled.forEach,
    compiled.message,
    reconcileArgs,
  ]) {
    for (const { root } of template?.references ?? []) {
      const index = indexById.get(root);
      if (index !== undefined) inputs.add(index);
    }
  }
  return {
    compiled,
    tool: compiled.kind === 'call' ? compiled.tool : null,
    inputs: [...inputs],
    inner: compiled.kind === 'plan' ? prepareProgram(compiled.plan) : undefined,
    needsApproval:
      compiled.kind === 'gate' || (step.approval !== undefined && step.approval !== false),
    // Only a call has arguments that could be corrected.
    onFailure:
      step.onFailure === 'repair' && compiled.kind !== 'call' ? 'stop' : (step.onFailure ?? 'stop'),
  };
}

/** What the step is given for its work. */
export function workTemplate(compiled: CompiledStep): Template | undefined {
  switch (compiled.kind) {
    case 'call':
      return compiled.args;
    case 'sleep':
      return compiled.duration;
    case 'plan':
      return compiled.input;
    case 'wait':
    case 'gate':
      return undefined;
  }
}

/** A plan with all that can be worked out before a run of it. Throws `plan.invalid`. */
export type PreparePlan = (plan: Plan) => {
  readonly plan: CompiledPlan;
  readonly program: Program;
};

/** Works it out once for each plan, however many runs there are of it. */
export function preparePlans(): PreparePlan {
  return onceFor((plan: Plan) => {
    const compiled = compilePlan(plan);
    return { plan: compiled, program: prepareProgram(compiled) };
  });
}
