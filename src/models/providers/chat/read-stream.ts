import {
  ModelBadAnswerError,
  ModelEndlessAnswerError,
  ModelOverloadedError,
} from '../../errors.ts';
import type { TextModelAnswer } from '../../text-model.ts';
import type { AnswerText } from '../answer-text.ts';
import { quote, type Endpoint } from '../endpoint.ts';
import type { WireResponse } from '../wire/wire-response.ts';
import { readAnswer, readError } from './read-answer.ts';

/** A line may be so many times as long as an answer: in JSON a character becomes up to six. */
const maxLineRatio = 8;

/** Puts the pieces of a stream of events, or of lines of JSON, together. */
export async function readStream(
  response: WireResponse,
  answer: AnswerText,
  endpoint: Endpoint,
): Promise<Omit<TextModelAnswer, 'text'>> {
  let ending: Omit<TextModelAnswer, 'text'> = { finish: 'other', usage: null };
  for await (const line of linesOf(response, endpoint)) {
    const data = dataOf(line);
    if (data === null || data === '') continue;
    if (data.trim() === '[DONE]') break;
    const piece = readPiece(data, endpoint);
    if (piece === null) continue;
    answer.add(piece.text);
    ending = {
      finish: piece.finish ?? ending.finish,
      usage: piece.usage ?? ending.usage,
    };
  }
  return ending;
}

async function* linesOf(response: WireResponse, endpoint: Endpoint): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const maxLength = endpoint.limits.maxAnswerBytes * maxLineRatio;
  const waiting: string[] = [];
  let length = 0;
  for await (const bytes of response.body ?? []) {
    const parts = decoder.decode(bytes, { stream: true }).split(/\r\n|\n|\r/);
    const last = parts.pop() ?? '';
    for (const part of parts) {
      yield `${waiting.join('')}${part}`;
      waiting.length = 0;
      length = 0;
    }
    waiting.push(last);
    length += last.length;
    if (length > maxLength) {
      const reason = `a line of it is longer than ${maxLength} characters`;
      throw new ModelEndlessAnswerError({ model: endpoint.model, reason });
    }
  }
  yield `${waiting.join('')}${decoder.decode()}`;
}

/** What a line carries: `data: …` of an event, or a line of JSON; null for everything else. */
function dataOf(line: string): string | null {
  if (line.startsWith('data:')) return line.slice(5).replace(/^ /, '');
  return line.startsWith('{') || line.startsWith('[') ? line : null;
}

function readPiece(data: string, endpoint: Endpoint): ReturnType<typeof readAnswer> {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    // Pieces may be plain text; what began as JSON and is none was broken on the way.
    if (!/^\s{0,8}[{["]/.test(data)) return { text: data };
    const reason = `a piece of it is no JSON (${quote(data, endpoint.key)})`;
    throw new ModelBadAnswerError({ model: endpoint.model, reason });
  }
  const error = readError(value);
  if (error !== null) {
    const reason = `it reported an error (${quote(error, endpoint.key)})`;
    throw new ModelOverloadedError({ model: endpoint.model, reason });
  }
  return readAnswer(typeof value === 'number' ? data : value);
}
