import { z } from 'zod';
import type {
  ChatMessage,
  ModelText,
  ModelUsage,
  ModelValue,
  StructuredRequest,
} from '../../contract/model/index.ts';
import type { JsonSchema } from '../../contract/tool/index.ts';
import { UnusableAnswerError } from '../errors.ts';
import type { TextModelRequest } from '../text-model.ts';
import { fitAnswer } from './fit-answer.ts';

export interface StructuredAsk<Value> {
  readonly request: StructuredRequest<Value>;
  readonly ask: (request: TextModelRequest) => Promise<ModelText>;
  /** The answer so far is void, and the model is asked again. */
  readonly onRepair: () => void;
  /** Keeps what the model said; gives the id of the artifact, or null where none is kept. */
  readonly keep: (text: string) => Promise<string | null>;
}

const maxAttempts = 2;
/** As much of its own answer as the model gets to see again, at the beginning and at the end. */
const maxRepeated = 6_000;

/** Asks for a value of a shape; what does not fit goes back once with what is wrong about it. */
export async function askStructured<Value>(
  asked: StructuredAsk<Value>,
): Promise<ModelValue<Value>> {
  const { schema, jsonSchema, name, ...request } = asked.request;
  const json = { name, schema: jsonSchema ?? describe(schema) };
  let messages = withInstruction(request.messages, json);
  let usage: ModelUsage | undefined;
  const said: string[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const answer = await asked.ask({ ...request, messages, json });
    usage = addUsage(usage, answer.usage);
    const fitted = fitAnswer(answer.text, schema, { mayClose: answer.finish !== 'length' });
    if (fitted.kind === 'fits') {
      return { value: fitted.value, model: answer.model, usage, attempts: attempt };
    }
    const problem = problemOf(answer, fitted.problem);
    said.push(answer.text);
    if (attempt === maxAttempts) {
      const artifact = await asked.keep(said.join('\n\n--- second answer ---\n\n'));
      throw new UnusableAnswerError({
        name,
        model: answer.model,
        problem,
        artifact,
        attempts: attempt,
      });
    }
    asked.onRepair();
    messages = [...messages, ...repair(answer.text, problem)];
  }
}

function problemOf({ finish }: ModelText, problem: string): string {
  if (finish === 'length') return `${problem} It was cut off at the limit of tokens.`;
  return finish === 'filtered' ? `${problem} A filter of the provider stopped it.` : problem;
}

function describe(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  });
  return described;
}

/** The schema in words, too: many servers leave out what they do not know without saying so. */
function withInstruction(
  messages: readonly ChatMessage[],
  json: { readonly name: string; readonly schema: JsonSchema },
): readonly ChatMessage[] {
  const instruction =
    `Answer with one JSON value ("${json.name}") that fits this JSON schema, and with nothing else: ` +
    `no explanation, no code fence.\n${JSON.stringify(json.schema)}`;
  const [first, ...rest] = messages;
  // Chat templates of many models take one system message, in the first place.
  if (first?.role === 'system') {
    return [{ role: 'system', content: `${first.content}\n\n${instruction}` }, ...rest];
  }
  return [{ role: 'system', content: instruction }, ...messages];
}

function repair(text: string, problem: string): readonly ChatMessage[] {
  const content =
    `Your answer cannot be used. ${problem}\n` +
    'Answer again with the complete, corrected JSON that fits the schema, and with nothing else.';
  return [
    { role: 'assistant', content: text.trim() === '' ? '(no answer)' : shortened(text) },
    { role: 'user', content },
  ];
}

function shortened(text: string): string {
  if (text.length <= maxRepeated * 2) return text;
  return `${text.slice(0, maxRepeated)}\n…\n${text.slice(-maxRepeated)}`;
}

function addUsage(before: ModelUsage | undefined, more: ModelUsage): ModelUsage {
  if (before === undefined) return more;
  return {
    inputTokens: before.inputTokens + more.inputTokens,
    outputTokens: before.outputTokens + more.outputTokens,
    isEstimated: before.isEstimated || more.isEstimated,
    costUsd:
      before.costUsd === null || more.costUsd === null ? null : before.costUsd + more.costUsd,
  };
}
