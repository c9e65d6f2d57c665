import { hideInResults } from '../answer/index.ts';
import type { EndedRound } from './evidence.ts';
import type { Round, Task } from './task.ts';
import {
  createDataBlocks,
  cutMiddle,
  cutWords,
  readPrompt,
  type DataBlocks,
} from '../prompts/index.ts';
import {
  describeInput,
  describeWithin,
  findByOtherName,
  isOfferable,
  judgePlan,
  orderAfterEffects,
  planOf,
  proposedPlanSchema,
  stepsJsonSchema,
  type GuardRules,
  type PlanChecker,
  type PlanInput,
} from '../propose/index.ts';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { ChatMessage, ModelCall, Models } from '../../contract/model/index.ts';
import type { Json } from '../../contract/plan/index.ts';
import type { HideSecrets } from '../../contract/secret/index.ts';
import { AppError } from '../../kernel/index.ts';
import { z } from 'zod';

interface LookRequest {
  readonly task: Task;
  readonly rounds: readonly EndedRound[];
  readonly rules: GuardRules;
  readonly inputs: readonly PlanInput[];
  /** All tools there are: what the model wants beyond the capability is looked up here. */
  readonly entries: readonly CatalogueEntry[];
  readonly call: ModelCall;
  /** Rounds left after this look; with none left it can only report. */
  readonly roundsLeft: number;
  /** What the user or a check has to say about what the model wanted last. */
  readonly problems: readonly string[];
}

export interface LookParts {
  readonly models: Pick<Models, 'structured'>;
  readonly workflows: PlanChecker;
  readonly optimize: boolean;
  /** Hides secrets in results before the model sees them. */
  readonly hideSecrets?: (() => Promise<HideSecrets>) | undefined;
}

/** What the model makes of the results. */
export type Decision =
  | { readonly kind: 'done'; readonly answer: string; readonly notSolved: readonly string[] }
  | { readonly kind: 'round'; readonly round: Round }
  /** It wants tools that the user's words did not ask for. */
  | { readonly kind: 'allow'; readonly tools: readonly string[]; readonly steps: readonly Json[] }
  /** Without a reason: it wants more rounds than there are. */
  | { readonly kind: 'stop'; readonly reason?: string; readonly answer: string };

const maxCorrections = 2;
const maxProblemChars = 500;
const maxAnswerChars = 20_000;
const maxNotSolved = 10;

const lookSchema = z.object({
  done: z.boolean().catch(false),
  answer: z.string().catch(''),
  not_solved: z
    .array(z.string())
    .catch([])
    .transform((texts) => texts.filter((text) => text.trim() !== '').slice(0, maxNotSolved)),
  steps: z.array(z.json()).catch([]),
});
const texts = { type: 'array', items: { type: 'string' } };
const lookJsonSchema = {
  type: 'object',
  properties: {
    done: { type: 'boolean' },
    answer: { type: 'string' },
    not_solved: texts,
    // Any name: what lies outside the capability is the user's to allow, not the schema's to hide.
    steps: stepsJsonSchema([]),
  },
  required: ['done', 'answer', 'not_solved', 'steps'],
};

/** Shows the model the results and asks for the end or the next plan, which is judged like any other. */
export async function lookAtResults(parts: LookParts, request: LookRequest): Promise<Decision> {
  let problems = request.problems;
  for (let asked = 0; ; asked += 1) {
    const said = await ask(parts, { ...request, problems });
    if ('unreadable' in said) {
      if (asked < maxCorrections) continue;
      return {
        kind: 'stop',
        reason: `the model's answer could not be read: ${said.unreadable}`,
        answer: '',
      };
    }
    const answer = said.answer.slice(0, maxAnswerChars).trim();
    if (said.done || said.steps.length === 0) {
      return { kind: 'done', answer, notSolved: said.not_solved };
    }
    if (request.roundsLeft === 0) return { kind: 'stop', answer };
    const judged = await judgeSteps(parts, request, said.steps);
    if (judged.kind !== 'refused') return judged;
    problems = judged.problems;
    if (asked === maxCorrections) {
      const [problem = ''] = problems;
      return {
        kind: 'stop',
        reason: `the model made no plan that passes the check: ${problem}`,
        answer,
      };
    }
  }
}

type Judged =
  | Extract<Decision, { kind: 'round' | 'allow' }>
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/** Steps the model wrote with results in sight: the guard and the check decide, and the user about more tools. */
export async function judgeSteps(
  parts: LookParts,
  { task, rules, inputs, entries, call }: Omit<LookRequest, 'rounds' | 'roundsLeft' | 'problems'>,
  steps: readonly Json[],
): Promise<Judged> {
  const { data, error } = proposedPlanSchema.safeParse({ steps });
  if (!data)
    return { kind: 'refused', problems: [z.prettifyError(error).slice(0, maxProblemChars)] };
  const offerable = entries.filter(isOfferable);
  const outside = data.steps
    .filter(({ tool }) => !rules.capability.find(tool))
    .flatMap(({ tool }) => findByOtherName(offerable, tool)?.name ?? []);
  const tools = [...new Set(outside)];
  if (tools.length > 0 && task.isClosed) {
    const problem = `The user does not allow ${tools.join(', ')}. Do without, or end and say what is missing.`;
    return { kind: 'refused', problems: [problem] };
  }
  if (tools.length > 0) return { kind: 'allow', tools, steps };
  const ordered = orderAfterEffects(planOf(data, task.goal), rules);
  const judged = await judgePlan(parts, { plan: ordered, inputs, rules, caller: call.caller });
  if (judged.kind === 'refused') return judged;
  const { plan, isFree, reads } = judged;
  return { kind: 'round', round: { plan, isFree, reads: [...reads], mustShow: false } };
}

async function ask(
  { models, hideSecrets }: LookParts,
  request: LookRequest,
): Promise<z.output<typeof lookSchema> | { readonly unreadable: string }> {
  const { entries } = request.rules.capability;
  const tools = describeWithin(entries, maxToolChars).lines;
  const hide = await hideSecrets?.();
  const rounds = request.rounds.map((round) => ({
    ...round,
    results: hideInResults(round.results, hide),
  }));
  const wanted = {
    name: 'look',
    schema: lookSchema,
    jsonSchema: lookJsonSchema,
    messages: lookMessages({ ...request, rounds, tools }),
  };
  try {
    return (await models.structured('agent', wanted, request.call)).value;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'models.unusable_answer')) throw error;
    return { unreadable: error.message.slice(0, maxProblemChars) };
  }
}

/** Of tools with their arguments; those beyond it stand by name. */
const maxToolChars = 16_000;

interface LookText {
  readonly task: Pick<Task, 'words' | 'background' | 'goal'>;
  readonly rounds: readonly EndedRound[];
  readonly rules: Pick<GuardRules, 'maxSteps'>;
  readonly inputs: readonly PlanInput[];
  readonly tools: readonly string[];
  readonly roundsLeft: number;
  readonly problems: readonly string[];
}

const maxAllChars = 60_000;
const maxLatestChars = 8_000;
const maxEarlierChars = 3_000;
const maxArgsChars = 1_200;
const maxErrorChars = 2_000;

/** The request with all that was done about it; plans and results stand between boundaries that no text can guess. */
function lookMessages(text: LookText): readonly ChatMessage[] {
  const { task, rounds, rules, inputs, tools, roundsLeft, problems } = text;
  const blocks = createDataBlocks();
  const content = [
    blocks.block('tools you may use', tools.join('\n'), 40_000),
    ...(inputs.length > 0
      ? [blocks.block('inputs at hand', inputs.map(describeInput).join('\n'))]
      : []),
    ...(task.background === '' ? [] : [`Earlier in this conversation:\n${task.background}`]),
    `The user's message: ${cutWords(task.words)}`,
    `Goal: ${cutWords(task.goal)}`,
    ...describeRounds(rounds, blocks),
    ...(problems.length > 0
      ? [
          blocks.block(
            'what is wrong with your last plan',
            problems.map((one) => `- ${one}`).join('\n'),
          ),
        ]
      : []),
    roundsLeft === 0
      ? 'No round is left: set `done` to true and say what was done and what is not solved.'
      : `Rounds left: ${roundsLeft}. At most ${rules.maxSteps} steps in the next one.`,
  ].join('\n\n');
  return blocks.seal([
    { role: 'system', content: readPrompt('look', blocks.boundary).text },
    { role: 'user', content },
  ]);
}

/** All rounds in order; where they are too long, whole steps of the oldest are left out first. */
function describeRounds(rounds: readonly EndedRound[], blocks: DataBlocks): string[] {
  let left = maxAllChars;
  const shown: string[] = [];
  for (const [index, round] of [...rounds.entries()].toReversed()) {
    const isLatest = index === rounds.length - 1;
    const steps = round.plan.steps.map((step) => describeStep(step, { round, isLatest, blocks }));
    const kept = steps.filter((one) => (left -= one.length) >= 0);
    const omitted = steps.length - kept.length;
    const note = omitted === 0 ? [] : [`(${omitted} steps left out)`];
    shown.unshift([`Round ${index + 1}: ${round.view.status}`, ...kept, ...note].join('\n'));
  }
  return shown;
}

function describeStep(
  { id, tool = '', args = {} }: EndedRound['plan']['steps'][number],
  { round, isLatest, blocks }: { round: EndedRound; isLatest: boolean; blocks: DataBlocks },
): string {
  const { status = 'pending', error } = round.view.steps[id] ?? {};
  const result = round.results.find(({ step }) => step === id);
  return [
    `Step ${id} (${tool}): ${status}`,
    blocks.block(`arguments of ${id}`, cutMiddle(JSON.stringify(args), maxArgsChars)),
    ...(error
      ? [blocks.block(`error of ${id}`, `${error.code}: ${error.message}`, maxErrorChars)]
      : []),
    ...(result
      ? [
          blocks.block(
            `result of ${id}`,
            JSON.stringify(result.output),
            isLatest ? maxLatestChars : maxEarlierChars,
          ),
        ]
      : []),
  ].join('\n');
}
