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
 * Decodes a message of a client. Values that may be passed on to a server (tool arguments, answers to requests)
 * keep their wire text, except in batches.
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
