import { createCodeLabeller, labelCode } from './label-code.ts';
import type { StepResult } from './results-of-run.ts';
import {
  createDataBlocks,
  cutMiddle,
  cutWords,
  readPrompt,
  type DataBlocks,
} from '../prompts/index.ts';
import type { Attachment, Intent } from '../../contract/agent/index.ts';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { ModelCall, Models } from '../../contract/model/index.ts';
import type { RunView } from '../../contract/run/index.ts';
import type { Conversation } from '../../contract/session/index.ts';

const maxResultChars = 6_000;
const maxAllResultsChars = 40_000;
const maxAttachmentChars = 24_000;
/** Its tokens are counted before. */
const maxGivenChars = 1_000_000;
const maxAnswerTokens = 1_500;

interface Answered {
  readonly text: string;
  readonly model: string;
}

/** Says what a run did; its results are data to the model. */
export async function answerRun(
  models: Pick<Models, 'text'>,
  about: {
    readonly words: string;
    readonly goal: string;
    readonly view: RunView;
    readonly results: readonly StepResult[];
    /** What the user gave to answer with. */
    readonly given: readonly Attachment[];
    /** What the user likes, in their own words: `short answers`. */
    readonly preferences: readonly string[];
  },
  call: ModelCall,
): Promise<Answered> {
  const blocks = createDataBlocks();
  const { words, goal, view, results, given, preferences } = about;
  const steps = Object.entries(view.steps).map(
    ([step, { status, tool }]) => `${step} (${tool ?? 'no tool'}): ${status}`,
  );
  const shown = results.map(({ step, output }) =>
    blocks.block(`result of ${step}`, JSON.stringify(output), maxResultChars),
  );
  const content = [
    ...(preferences.length > 0 ? [`The user's preferences: ${preferences.join('; ')}`] : []),
    `The user's message: ${cutWords(words)}`,
    `Goal: ${cutWords(goal)}`,
    `Steps:\n${steps.join('\n')}`,
    ...given.map(({ name, content: text }) => blocks.block(name, text, maxGivenChars)),
    // Cut by whole blocks, so that none stays open.
    ...withinChars(shown, maxAllResultsChars),
  ].join('\n\n');
  return ask(models, { prompt: readPrompt('answer', blocks.boundary).text, content, blocks }, call);
}

/** Answers what needs no tool, from the conversation. */
export async function answerDirectly(
  models: Pick<Models, 'text'>,
  about: {
    readonly words: string;
    readonly intent: Intent;
    readonly conversation: Conversation;
    readonly attachments: readonly Attachment[];
    readonly given: readonly Attachment[];
    readonly tools: readonly CatalogueEntry[];
    readonly nameTool: (entry: CatalogueEntry) => string;
  },
  call: ModelCall,
): Promise<Answered> {
  const blocks = createDataBlocks();
  const { words, conversation, attachments, given, tools, nameTool } = about;
  const content = [
    blocks.block('tools of this system that may fit', tools.map(nameTool).join('\n')),
    ...describeConversation(conversation, blocks),
    ...given.map(({ name, content: text }) => blocks.block(name, text, maxGivenChars)),
    ...withinChars(
      attachments.map(({ name, content: text }) => blocks.block(name, text, maxAttachmentChars)),
      maxAllResultsChars,
    ),
    `The user's message: ${cutWords(words)}`,
  ].join('\n\n');
  return ask(models, { prompt: readPrompt('direct', blocks.boundary).text, content, blocks }, call);
}

function describeConversation(conversation: Conversation, blocks: DataBlocks): string[] {
  const { preferences, summary, recalled, recent, remembered } = conversation;
  const turns = [...recalled, ...recent].map(({ role, text }) => `${role}: ${text}`);
  return [
    ...(preferences.length > 0 ? [`The user's preferences: ${preferences.join('; ')}`] : []),
    ...(summary === null ? [] : [blocks.block('summary of the conversation before', summary)]),
    ...(turns.length > 0 ? [blocks.block('the conversation', turns.join('\n'))] : []),
    ...remembered.map(({ kind, title, content }) =>
      blocks.block(`${kind}: ${title}`, content ?? '(kept elsewhere)', maxResultChars),
    ),
  ];
}

async function ask(
  models: Pick<Models, 'text'>,
  {
    prompt,
    content,
    blocks,
  }: { readonly prompt: string; readonly content: string; readonly blocks: DataBlocks },
  call: ModelCall,
): Promise<Answered> {
  const messages = blocks.seal([
    { role: 'system', content: prompt },
    { role: 'user', content },
  ] as const);
  const request = { messages, maxOutputTokens: maxAnswerTokens };
  const labelled = labelledCall(call);
  const answer = await models.text('agent', request, labelled.call);
  labelled.end();
  const text = labelCode(cutMiddle(answer.text.trim(), maxAllResultsChars));
  return { text, model: answer.model };
}

/** Whatever the model says about its code, nothing has run it: pieces get the same labels as the whole answer. */
function labelledCall(call: ModelCall): { readonly call: ModelCall; readonly end: () => void } {
  const { onText, onRestart } = call;
  if (!onText) return { call, end: () => {} };
  let labeller = createCodeLabeller();
  const tell = (text: string): void => {
    if (text !== '') onText(text);
  };
  const restart = (): void => {
    labeller = createCodeLabeller();
    onRestart?.();
  };
  return {
    call: { ...call, onText: (text) => tell(labeller.push(text)), onRestart: restart },
    end: () => tell(labeller.end()),
  };
}

function withinChars(blocks: readonly string[], maxChars: number): string[] {
  let left = maxChars;
  return blocks.filter((block) => (left -= block.length) >= 0);
}

interface Summarized {
  /** The summary so far; null when there is none. */
  readonly before: string | null;
  /** The turns that are new to it, in the user's own words. */
  readonly turns: readonly string[];
}

const maxSummaryChars = 3_000;
const maxSummaryTokens = 600;
const maxTurnsChars = 30_000;

/** The gist of older turns. Without a model there is none: then sentences of the turns themselves stand for them. */
export async function summarizeTurns(
  models: Pick<Models, 'text'>,
  { before, turns }: Summarized,
  call: ModelCall,
): Promise<string> {
  const blocks = createDataBlocks();
  const content = [
    ...(before === null ? [] : [blocks.block('the summary so far', before)]),
    blocks.block('the turns', turns.join('\n'), maxTurnsChars),
  ].join('\n\n');
  const messages = blocks.seal([
    { role: 'system', content: readPrompt('summary', blocks.boundary).text },
    { role: 'user', content },
  ] as const);
  const answer = await models.text('agent', { messages, maxOutputTokens: maxSummaryTokens }, call);
  return cutMiddle(answer.text.trim(), maxSummaryChars);
}
