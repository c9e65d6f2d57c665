import type { ChatMessage } from '../../contract/model/index.ts';
import {
  createDataBlocks,
  cutMiddle,
  cutWords,
  readPrompt,
  type DataBlocks,
} from '../prompts/index.ts';
import { describeInput, type GuardRules, type PlanInput } from '../propose/index.ts';
import type { EndedRound } from './evidence.ts';
import type { Task } from './task.ts';

export interface LookText {
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
export function lookMessages(text: LookText): readonly ChatMessage[] {
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
  return [
    { role: 'system', content: readPrompt('look', blocks.boundary).text },
    { role: 'user', content },
  ];
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
