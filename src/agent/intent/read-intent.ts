import { z } from 'zod';
import type { Intent } from '../../contract/agent/index.ts';
import type { ModelCall, Models } from '../../contract/model/index.ts';
import type { JsonSchema } from '../../contract/tool/index.ts';
import { createDataBlocks, cutWords, readPrompt } from '../prompts/index.ts';

const sureEnough = 0.8;
const unsure = 0.4;
const maxTexts = 50;
const maxTextChars = 1_000;

/** Names and questions in whatever list a small model makes of them. */
const texts = z
  .unknown()
  .default(null)
  .transform((value) => {
    const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
    return list
      .slice(0, maxTexts)
      .map((one: unknown) => {
        const { name, tool }: { name?: unknown; tool?: unknown } = Object(one);
        return [one, name, tool].find((text) => typeof text === 'string') ?? '';
      })
      .map((text) => text.trim().slice(0, maxTextChars))
      .filter((text) => text !== '');
  });

/** From 0 to 1, also from `"0.9"` and from percents; undefined where it is no number. */
const confidence = z
  .unknown()
  .default(null)
  .transform((value) => {
    const number = typeof value === 'string' ? Number.parseFloat(value) : value;
    if (typeof number !== 'number' || Number.isNaN(number)) return undefined;
    return Math.min(1, Math.max(0, number > 1 ? number / 100 : number));
  });

/** Small models leave members out or write them in other ways; what they say counts. */
export const intentSchema = z
  .object({
    primary_goal: z.string().min(1).max(4_000),
    tools_needed: texts,
    parameters: z.record(z.string(), z.unknown()).catch({}),
    needs_clarification: z.boolean().catch(false),
    unclear_aspects: texts,
    confidence,
    open_ended: z.boolean().catch(false),
    changes_files: z.boolean().catch(false),
    steps: z.unknown().optional(),
  })
  .transform(({ confidence: said, steps, ...intent }): { intent: Intent; steps: unknown } => ({
    intent: { ...intent, confidence: said ?? (intent.needs_clarification ? unsure : sureEnough) },
    steps,
  }));

const listOfTexts = { type: 'array', items: { type: 'string' } };
const intentProperties = {
  primary_goal: { type: 'string' },
  tools_needed: listOfTexts,
  parameters: { type: 'object' },
  needs_clarification: { type: 'boolean' },
  unclear_aspects: listOfTexts,
  confidence: { type: 'number', minimum: 0, maximum: 1 },
  open_ended: { type: 'boolean' },
  changes_files: { type: 'boolean' },
};
const intentJsonSchema: JsonSchema = {
  type: 'object',
  properties: intentProperties,
  required: [
    'primary_goal',
    'tools_needed',
    'parameters',
    'needs_clarification',
    'unclear_aspects',
    'confidence',
    'open_ended',
    'changes_files',
  ],
};

export interface IntentRequest {
  /** The message without what was pasted into it. */
  readonly words: string;
  /** What was said before, in the user's own words. */
  readonly background: string;
  /** What is at hand, by name. */
  readonly inputs: readonly string[];
  /** Tools that may fit, as they are put before the model. */
  readonly tools: readonly string[];
  /** How the steps of a plan look, for who may plan at once. */
  readonly steps?: JsonSchema;
  /** The last answers with all that is in them; who gives it must show the plan to the user before it runs. */
  readonly answers?: string;
}

export interface ReadIntent {
  readonly intent: Intent;
  readonly model: string;
  /** The plan the model added, if any, unchecked. */
  readonly steps: unknown;
}

/** What the user wants, as the model reads it; and, where it is plain, how it would go about it. */
export async function readIntent(
  models: Pick<Models, 'structured'>,
  request: IntentRequest,
  call: ModelCall,
): Promise<ReadIntent> {
  const blocks = createDataBlocks();
  const { words, background, inputs, tools, steps, answers } = request;
  const sections = [
    blocks.block('tools', tools.join('\n')),
    ...(inputs.length > 0 ? [blocks.block('at hand', inputs.join('\n'))] : []),
    ...(background === '' ? [] : [`Earlier in this conversation:\n${background}`]),
    ...(answers === undefined ? [] : [blocks.block('what the assistant answered', answers)]),
    `The user's message: ${cutWords(words)}`,
  ];
  const answer = await models.structured(
    'agent',
    {
      name: 'intent',
      schema: intentSchema,
      jsonSchema: steps
        ? { ...intentJsonSchema, properties: { ...intentProperties, steps } }
        : intentJsonSchema,
      messages: blocks.seal([
        { role: 'system', content: readPrompt('intent', blocks.boundary).text },
        { role: 'user', content: sections.join('\n\n') },
      ]),
    },
    call,
  );
  return { ...answer.value, model: answer.model };
}

export interface ClarificationRules {
  readonly enabled: boolean;
  readonly maxQuestions: number;
  readonly confidenceThreshold: number;
  readonly askWhenAmbiguous: boolean;
}

/** What the user has to be asked before anything is planned; empty when it is clear enough. */
export function questionsAbout(intent: Intent, rules: ClarificationRules): string[] {
  if (!rules.enabled || rules.maxQuestions === 0) return [];
  const isUnsure = intent.confidence < rules.confidenceThreshold;
  const isAmbiguous = rules.askWhenAmbiguous && intent.needs_clarification;
  if (!isUnsure && !isAmbiguous) return [];
  const questions = intent.unclear_aspects
    .map((aspect) => aspect.trim())
    .filter((aspect) => aspect !== '')
    .slice(0, rules.maxQuestions)
    .map((aspect) => (aspect.endsWith('?') ? aspect : `What about this: ${aspect}?`));
  if (questions.length > 0) return questions;
  return [
    `I take it that you want this: ${intent.primary_goal} Is that right, or what do you want?`,
  ];
}
