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
import { findJson, type FindOptions } from './find-json.ts';

interface StructuredAsk<Value> {
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

type Fitting<Value> =
  | { readonly kind: 'fits'; readonly value: Value }
  /** What is wrong, in words that the model can do something about. */
  | { readonly kind: 'unfit'; readonly problem: string };

const maxProblemLength = 1_500;
const maxMembers = 8;

/** The first value in the text that fits the schema, as it is or unwrapped from one layer around it. */
export function fitAnswer<Value>(
  text: string,
  schema: z.ZodType<Value>,
  options: FindOptions,
): Fitting<Value> {
  const found = findJson(text, options);
  let nearest: { readonly problem: string; readonly issues: number } | undefined;
  for (const candidate of found.flatMap(unwrapped)) {
    const fitted = check(schema, candidate);
    if (fitted.kind === 'fits') return { kind: 'fits', value: fitted.value };
    if (nearest === undefined || fitted.issues < nearest.issues) nearest = fitted;
  }
  if (nearest !== undefined) return { kind: 'unfit', problem: nearest.problem };
  const hasBegun = /[{[]/.test(text);
  const problem = hasBegun ? 'The JSON in it is broken or cut off.' : 'There is no JSON in it.';
  return { kind: 'unfit', problem };
}

function check<Value>(
  schema: z.ZodType<Value>,
  candidate: unknown,
): Fitting<Value> & { readonly issues: number } {
  try {
    const parsed = schema.safeParse(candidate);
    if (parsed.success) return { kind: 'fits', value: parsed.data, issues: 0 };
    const problem = z.prettifyError(parsed.error).slice(0, maxProblemLength);
    return { kind: 'unfit', problem, issues: parsed.error.issues.length };
  } catch (error) {
    // A schema that refers to itself goes as deep as the value does.
    if (!(error instanceof RangeError)) throw error;
    return { kind: 'unfit', problem: 'It is nested too deeply.', issues: Infinity };
  }
}

/** The value, and what models like to wrap: `[value]`, `{"answer": value}`, a text with JSON in it. */
function unwrapped(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  if (members.length > maxMembers || (Array.isArray(value) && members.length > 1)) return [value];
  return [value, ...members.flatMap(asStructure)];
}

function asStructure(member: unknown): readonly unknown[] {
  if (typeof member === 'object' && member !== null) return [member];
  if (typeof member !== 'string' || !/^\s{0,9}[{[]/.test(member)) return [];
  return findJson(member, { mayClose: false });
}
