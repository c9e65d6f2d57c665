import {
  createDataBlocks,
  cutMiddle,
  cutWords,
  readPrompt,
  type DataBlocks,
} from '../prompts/index.ts';
import { applyPreferences } from './apply-preferences.ts';
import { describeTool } from './describe-tool.ts';
import { guardPlan, type GuardRules, type Guarded } from './guard-plan.ts';
import { orderAfterEffects } from './order-after-effects.ts';
import { describeInput, fillInputs, type PlanInput } from './plan-inputs.ts';
import {
  planOf,
  proposedPlanJsonSchema,
  proposedPlanSchema,
  type ProposedPlan,
} from './proposed-plan.ts';
import type { Intent, Proposal } from '../../contract/agent/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { ErrorReport } from '../../contract/error/index.ts';
import type { ModelCall, Models } from '../../contract/model/index.ts';
import type { Json, Plan, PlanCheck } from '../../contract/plan/index.ts';
import type { Preference } from '../../contract/preference/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import { AppError } from '../../kernel/index.ts';
import { z } from 'zod';

/** The type check, as the workflow room does it. */
export interface PlanChecker {
  check(caller: Caller, source: PlanSource, options: { optimize: boolean }): Promise<PlanCheck>;
}

interface ProposeParts {
  readonly models: Pick<Models, 'structured'>;
  readonly workflows: PlanChecker;
  readonly optimize: boolean;
}

interface ProposeRequest {
  readonly words: string;
  readonly intent: Intent;
  /** What was said before, in the user's own words. */
  readonly background: string;
  readonly inputs: readonly PlanInput[];
  readonly rules: GuardRules;
  readonly preferences: readonly Preference[];
  readonly call: ModelCall;
  /** The steps the model gave when it said what is wanted: tried before it is asked for a plan. */
  readonly draft?: { readonly steps: unknown; readonly model: string };
}

/** Plans that were wrong and are made anew, each with what is wrong with the one before. */
const maxCorrections = 2;
const maxProblems = 20;
const maxProblemChars = 500;
const maxParametersChars = 4_000;

type Proposed =
  | {
      readonly kind: 'proposal';
      readonly proposal: Proposal;
      readonly isFree: boolean;
      readonly reads: readonly string[];
      readonly model: string;
    }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/** A plan by the model, within the capability and passed by the type check; or what was wrong with its last one. */
export async function proposeWithModel(
  parts: ProposeParts,
  request: ProposeRequest,
): Promise<Proposed> {
  const { intent, inputs, rules, call } = request;
  let last: LastPlan = { previous: '', problems: [] };
  let written: Written | undefined = readDraft(request.draft);
  for (let asked = 0; ; asked += 1) {
    if (written) {
      const { entries } = rules.capability;
      const filled = applyPreferences(planOf(written.plan, intent.primary_goal), {
        entries,
        preferences: request.preferences,
      });
      const plan = orderAfterEffects(filled, rules);
      const judged = await judgePlan(parts, { plan, inputs, rules, caller: call.caller });
      if (judged.kind === 'passed') {
        const { plan: passed, isFree, reads } = judged;
        const { confidence } = intent;
        const made = { plan: passed, confidence, madeBy: 'model', others: [] } as const;
        return { kind: 'proposal', proposal: made, isFree, reads, model: written.model };
      }
      last = { previous: JSON.stringify(written.plan), problems: judged.problems };
    }
    if (asked > maxCorrections) return { kind: 'refused', problems: last.problems };
    const answer = await askForPlan(parts, request, last);
    if ('problem' in answer) last = { ...last, problems: [answer.problem] };
    written = 'problem' in answer ? undefined : answer;
  }
}

interface LastPlan {
  readonly previous: string;
  readonly problems: readonly string[];
}

interface Written {
  readonly plan: ProposedPlan;
  readonly model: string;
}

function readDraft(draft: ProposeRequest['draft']): Written | undefined {
  if (!draft) return undefined;
  const { data: plan } = proposedPlanSchema.safeParse({ steps: draft.steps });
  return plan && { plan, model: draft.model };
}

async function askForPlan(
  { models }: ProposeParts,
  request: ProposeRequest,
  last: LastPlan,
): Promise<Written | { readonly problem: string }> {
  const tools = request.rules.capability.entries.map(({ name }) => name);
  const jsonSchema = proposedPlanJsonSchema(tools);
  const messages = messagesFor(request, last);
  try {
    const wanted = { name: 'plan', schema: proposedPlanSchema, jsonSchema, messages };
    const { value, model } = await models.structured('agent', wanted, request.call);
    return { plan: value, model };
  } catch (error) {
    // What the model said could not be read as a plan even after its repair: that is one more wrong plan.
    if (!(error instanceof AppError && error.code === 'models.unusable_answer')) throw error;
    return { problem: error.message.slice(0, maxProblemChars) };
  }
}

interface Judgement {
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
  | ({ readonly kind: 'passed' } & Omit<Extract<Guarded, { kind: 'allowed' }>, 'kind'>)
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
  return { ...guarded, kind: 'passed', plan: filled };
}

function messagesFor(
  { words, intent, background, inputs, rules }: ProposeRequest,
  last: LastPlan,
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
  return blocks.seal([
    { role: 'system', content: readPrompt('plan', blocks.boundary).text },
    { role: 'user', content: sections.join('\n\n') },
  ]);
}

function correction({ previous, problems }: LastPlan, blocks: DataBlocks): string[] {
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

interface FailedCall {
  readonly entry: CatalogueEntry;
  /** As the plan has them, references and all. */
  readonly args: Readonly<Record<string, Json>>;
  readonly error: ErrorReport;
}

const repairSchema = z.object({ args: z.record(z.string(), z.json()).nullable() });

/** Other arguments for a call that failed; null where the model knows none. */
export async function repairArguments(
  models: Pick<Models, 'structured'>,
  { entry, args, error }: FailedCall,
  call: ModelCall,
): Promise<Readonly<Record<string, Json>> | null> {
  const blocks = createDataBlocks();
  const content = [
    blocks.block('the tool', describeTool(entry)),
    blocks.block('the arguments', JSON.stringify(args)),
    blocks.block('the error', `${error.code}: ${error.message}`, 4_000),
  ].join('\n\n');
  const messages = blocks.seal([
    { role: 'system', content: readPrompt('repair', blocks.boundary).text },
    { role: 'user', content },
  ] as const);
  const answer = await models.structured(
    'agent',
    { name: 'arguments', schema: repairSchema, messages },
    call,
  );
  return answer.value.args;
}
