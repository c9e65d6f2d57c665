import type { Intent, Proposal } from '../../contract/agent/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { ModelCall, Models } from '../../contract/model/index.ts';
import type { Plan, PlanCheck } from '../../contract/plan/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import { AppError } from '../../kernel/index.ts';
import {
  createDataBlocks,
  cutMiddle,
  cutWords,
  readPrompt,
  type DataBlocks,
} from '../prompts/index.ts';
import { describeTool } from './describe-tool.ts';
import { guardPlan, type GuardRules } from './guard-plan.ts';
import { describeInput, fillInputs, type PlanInput } from './plan-inputs.ts';
import { planOf, proposedPlanJsonSchema, proposedPlanSchema } from './proposed-plan.ts';

/** The type check, as the workflow room does it. */
export interface PlanChecker {
  check(caller: Caller, source: PlanSource, options: { optimize: boolean }): Promise<PlanCheck>;
}

export interface ProposeParts {
  readonly models: Pick<Models, 'structured'>;
  readonly workflows: PlanChecker;
  readonly optimize: boolean;
}

export interface ProposeRequest {
  readonly words: string;
  readonly intent: Intent;
  /** What was said before, in the user's own words. */
  readonly background: string;
  readonly inputs: readonly PlanInput[];
  readonly rules: GuardRules;
  readonly call: ModelCall;
}

/** Plans that were wrong and are made anew, each with what is wrong with the one before. */
const maxCorrections = 2;
const maxProblems = 20;
const maxProblemChars = 500;
const maxParametersChars = 4_000;

export type Proposed =
  | {
      readonly kind: 'proposal';
      readonly proposal: Proposal;
      readonly isFree: boolean;
      readonly model: string;
    }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/** A plan by the model, within the capability and passed by the type check; or what was wrong with its last one. */
export async function proposeWithModel(
  parts: ProposeParts,
  request: ProposeRequest,
): Promise<Proposed> {
  const { intent, rules, call } = request;
  let problems: readonly string[] = [];
  let previous = '';
  for (let corrections = 0; corrections <= maxCorrections; corrections += 1) {
    try {
      const answer = await parts.models.structured(
        'agent',
        {
          name: 'plan',
          schema: proposedPlanSchema,
          jsonSchema: proposedPlanJsonSchema(rules.capability.entries.map(({ name }) => name)),
          messages: messagesFor(request, { previous, problems }),
        },
        call,
      );
      previous = JSON.stringify(answer.value);
      const made = planOf(answer.value, intent.primary_goal);
      const judged = await judgePlan(parts, {
        plan: made,
        inputs: request.inputs,
        rules,
        caller: call.caller,
      });
      if (judged.kind === 'refused') {
        ({ problems } = judged);
        continue;
      }
      const proposal: Proposal = {
        plan: judged.plan,
        check: judged.check,
        confidence: intent.confidence,
        madeBy: 'model',
        alternatives: [],
      };
      return { kind: 'proposal', proposal, isFree: judged.isFree, model: answer.model };
    } catch (error) {
      // What the model said could not be read as a plan even after its repair: that is one more wrong plan.
      if (!(error instanceof AppError && error.code === 'models.unusable_answer')) throw error;
      problems = [error.message.slice(0, maxProblemChars)];
    }
  }
  return { kind: 'refused', problems };
}

export interface Judgement {
  readonly plan: Plan;
  readonly inputs: readonly PlanInput[];
  readonly rules: GuardRules;
  readonly caller: Caller;
}

/** The only way a plan becomes a proposal: first what it may do, then whether it fits the tools. */
export async function judgePlan(
  { workflows, optimize }: Pick<ProposeParts, 'workflows' | 'optimize'>,
  { plan, inputs, rules, caller }: Judgement,
): Promise<
  | {
      readonly kind: 'passed';
      readonly plan: Plan;
      readonly check: PlanCheck;
      readonly isFree: boolean;
    }
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
> {
  const guarded = guardPlan(plan, rules);
  if (guarded.kind === 'refused') return guarded;
  const filled = await fillInputs(guarded.plan, inputs);
  const check = await workflows.check(caller, { kind: 'data', plan: filled }, { optimize });
  if (!check.ok) {
    const problems = check.errors.map(({ path, message }) => `${path}: ${message}`);
    return { kind: 'refused', problems };
  }
  return { kind: 'passed', plan: filled, check, isFree: guarded.isFree };
}

function messagesFor(
  { words, intent, background, inputs, rules }: ProposeRequest,
  last: { readonly previous: string; readonly problems: readonly string[] },
): { role: 'system' | 'user'; content: string }[] {
  const blocks = createDataBlocks();
  const { entries } = rules.capability;
  const sections = [
    blocks.block('tools you may use', entries.map(describeTool).join('\n\n'), 40_000),
    ...(inputs.length > 0
      ? [blocks.block('inputs at hand', inputs.map(describeInput).join('\n'))]
      : []),
    ...(background === '' ? [] : [`Earlier in this conversation:\n${background}`]),
    `Parameters: ${cutMiddle(JSON.stringify(intent.parameters), maxParametersChars)}`,
    `At most ${rules.maxSteps} steps.`,
    `The user's message: ${cutWords(words)}`,
    `Goal: ${intent.primary_goal}`,
    ...correction(last, blocks),
  ];
  return [
    { role: 'system', content: readPrompt('plan', blocks.boundary).text },
    { role: 'user', content: sections.join('\n\n') },
  ];
}

function correction(
  { previous, problems }: { readonly previous: string; readonly problems: readonly string[] },
  blocks: DataBlocks,
): string[] {
  if (problems.length === 0) return [];
  const listed = problems
    .slice(0, maxProblems)
    .map((problem) => `- ${problem.slice(0, maxProblemChars)}`);
  return [
    ...(previous === '' ? [] : [blocks.block('your last plan', previous)]),
    blocks.block('what is wrong with it', listed.join('\n')),
    'Make the plan anew, without these mistakes.',
  ];
}
