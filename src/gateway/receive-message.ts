import { withWireText } from '../contract/wire/index.ts';
import {
  decodeWithText,
  defaultJsonLimits,
  isRecord,
  oneLine,
  rawMember,
  type Batch,
  type Message,
  type Params,
} from '../protocol/index.ts';

const maxMarkedResponses = 20;

/**
 * Reads a message of a client. What may be passed on to a server (the arguments of a tool, answers
 * to questions) keeps the text it came as. The members of batches do not.
 */
export function receiveMessage(bytes: Buffer, maxBytes: number): Message | Batch {
  const limits = { maxBytes, maxDepth: defaultJsonLimits.maxDepth };
  const { message, text } = decodeWithText(bytes, limits);
  if (message.kind === 'request') {
    if (message.method === 'tools/call') mark(message.params['arguments'], text, argumentsPath);
    markResponses(message.params, text);
  } else if (message.kind === 'response' && 'result' in message.outcome) {
    mark(message.outcome.result, text, ['result']);
  }
  return message;
}

const argumentsPath = ['params', 'arguments'] as const;

function markResponses(params: Params, text: string): void {
  const { inputResponses } = params;
  if (!isRecord(inputResponses)) return;
  for (const name of Object.keys(inputResponses).slice(0, maxMarkedResponses)) {
    mark(inputResponses[name], text, ['params', 'inputResponses', name]);
  }
}

function mark(value: unknown, text: string, path: readonly string[]): void {
  if (!isRecord(value)) return;
  const raw = rawMember(text, ...path);
  if (raw !== undefined) withWireText(value, oneLine(raw));
}
