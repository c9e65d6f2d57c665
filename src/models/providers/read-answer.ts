import type { TextModelAnswer } from '../text-model.ts';

type ChatPiece = Pick<TextModelAnswer, 'text'> & Partial<TextModelAnswer>;

/** Where servers put the text, the more telling names first. */
const textMembers = [
  'response',
  'text',
  'content',
  'message',
  'output',
  'generated_text',
  'completion',
  'answer',
  'result',
  'delta',
  'token',
  'data',
] as const;

const maxDepth = 8;

/**
 * The text in the answer of a chat endpoint, in any of the shapes that are in use: `{response}`, `{text}`,
 * `{choices: [{message: {content}}]}`, lists of those … Null where there is none.
 */
export function readAnswer(value: unknown): ChatPiece | null {
  const text = textIn(value, maxDepth);
  if (text === null) return null;
  const usage = usageIn(value);
  const finish = finishIn(value);
  return { text, ...(usage === null ? {} : { usage }), ...(finish === null ? {} : { finish }) };
}

/** What an answer of status 200 says went wrong; null where it says nothing of the kind. */
export function readError(value: unknown): string | null {
  if (!isRecord(value) || textIn(value, maxDepth) !== null) return null;
  const { error } = value;
  if (typeof error === 'string' && error !== '') return error;
  return isRecord(error) && typeof error['message'] === 'string' ? error['message'] : null;
}

function textIn(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return textInList(value, depth);
  if (!isRecord(value)) return null;
  if (Array.isArray(value['choices'])) {
    const choices: readonly unknown[] = value['choices'];
    // Further choices are other answers to the same question.
    return choices.length === 0 ? null : textIn(choices[0], depth - 1);
  }
  for (const name of textMembers) {
    const found = textIn(Object.hasOwn(value, name) ? value[name] : null, depth - 1);
    if (found !== null) return found;
  }
  return null;
}

/** Parts of one answer: `[{type: 'text', text: 'a'}, …]`; some endpoints put a single one in a list. */
function textInList(parts: readonly unknown[], depth: number): string | null {
  const texts = parts.map((part) => textIn(part, depth - 1)).filter((text) => text !== null);
  return texts.length === 0 ? null : texts.join('');
}

function usageIn(value: unknown): TextModelAnswer['usage'] {
  const outer = firstRecord(value);
  const usage = isRecord(outer?.['usage']) ? outer['usage'] : outer;
  const inputTokens = numberIn(usage, ['prompt_tokens', 'input_tokens', 'prompt_eval_count']);
  const outputTokens = numberIn(usage, ['completion_tokens', 'output_tokens', 'eval_count']);
  return inputTokens === null || outputTokens === null ? null : { inputTokens, outputTokens };
}

function numberIn(value: unknown, names: readonly string[]): number | null {
  if (!isRecord(value)) return null;
  for (const name of names) {
    const found = value[name];
    if (typeof found === 'number' && Number.isFinite(found) && found >= 0) return found;
  }
  return null;
}

function finishIn(value: unknown): TextModelAnswer['finish'] | null {
  const outer = firstRecord(value);
  const choices = outer?.['choices'];
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const inner = isRecord(choice) ? choice : outer;
  for (const name of ['finish_reason', 'stop_reason', 'done_reason', 'stopReason']) {
    const reason = inner?.[name];
    if (typeof reason === 'string') return finishOf(reason);
  }
  return null;
}

function finishOf(reason: string): TextModelAnswer['finish'] {
  if (/^(?:length|max_tokens|max_length)$/i.test(reason)) return 'length';
  if (/filter|safety/i.test(reason)) return 'filtered';
  return /^(?:stop|end_turn|eos|eos_token|stop_sequence|complete)$/i.test(reason)
    ? 'stop'
    : 'other';
}

function firstRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return isRecord(first) ? first : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
