import type { Json, Plan, RetryPolicy, Step } from '../../contract/plan/index.ts';
import type { Condition } from './condition.ts';
import type { Template } from './template.ts';

/** A plan whose references, conditions and edges were worked out; made anew from the plan at every start. */
export interface CompiledPlan {
  readonly plan: Plan;
  /** In the order of the plan. */
  readonly steps: readonly CompiledStep[];
  readonly inputDefaults: Readonly<Record<string, Json>>;
  readonly output: Template | undefined;
  /** Indexes of the steps nobody refers to. */
  readonly ends: readonly number[];
}

interface StepParts {
  readonly id: string;
  readonly index: number;
  readonly step: Step;
  /** Indexes of the steps it refers to, each once. */
  readonly needs: readonly number[];
  /** Indexes of the steps that refer to it. */
  readonly neededBy: readonly number[];
  readonly when: Condition | undefined;
  readonly forEach: Template | undefined;
  /** What the person is told who approves. */
  readonly message: Template | undefined;
  readonly retry: RetryPolicy;
}

export type CompiledStep =
  | (StepParts & {
      readonly kind: 'call';
      readonly tool: string;
      readonly args: Template;
      /** Arguments of the lookup that finds out whether a lost call has happened. */
      readonly reconcileArgs: Template | undefined;
    })
  | (StepParts & { readonly kind: 'sleep'; readonly duration: Template })
  | (StepParts & {
      readonly kind: 'wait';
      readonly signal: string;
      readonly timeoutMs: number | undefined;
    })
  | (StepParts & { readonly kind: 'gate' })
  | (StepParts & { readonly kind: 'plan'; readonly plan: CompiledPlan; readonly input: Template });
