import { isModelFailure, ModelCallError } from '../errors.ts';
import type { AskOptions, TextModel, TextModelAnswer, TextModelRequest } from '../text-model.ts';
import { readAnswer, readError } from './read-answer.ts';
import { AnswerText, authorizationOf, type Endpoint, quote, shownUrl } from './endpoint.ts';
import { badAnswer, failureOfSdk, refusePage } from './failures.ts';
import { guardedFetch, problemOf, type WireResponse } from './guarded-fetch.ts';

interface ChatOptions extends Endpoint {
  /** With or without the `/chat` at its end. */
  readonly url: string;
  /** Sent along where it is given. */
  readonly id: string | null;
  readonly contextTokens: number | null;
}

/** A model behind a plain chat endpoint: `{messages, max_tokens, temperature}` in, `{response}` out. */
export function createChatModel(options: ChatOptions): TextModel {
  /** Those that may be meant, until one of them answered. */
  let urls = chatUrls(options.url);
  const ask = async (request: TextModelRequest, how: AskOptions): Promise<TextModelAnswer> => {
    const asking = { request, how, options };
    try {
      const answer = await askAt(urls.first, asking);
      urls = { first: urls.first };
      return answer;
    } catch (error) {
      if (!isModelFailure(error, 'models.not_found') || urls.second === undefined) throw error;
      const answer = await askAt(urls.second, asking);
      urls = { first: urls.second };
      return answer;
    }
  };
  return {
    name: options.model,
    provider: 'chat',
    model: options.id,
    url: shownUrl(options.url),
    contextTokens: options.contextTokens,
    ask,
    probe: async (signal) => ({ problem: await problemOf(isThere(signal, options), null) }),
    close: async () => undefined,
  };
}

/** Which to try first, and which where nothing is found there. */
interface ChatUrls {
  readonly first: string;
  readonly second?: string;
}

function chatUrls(url: string): ChatUrls {
  const parsed = new URL(url);
  const path = parsed.pathname.replace(/\/{1,8}$/, '');
  // Without a name and a password, which `fetch` refuses and would quote.
  const plain = `${parsed.origin}${path}`;
  if (path.endsWith('/chat'))
    return { first: `${parsed.origin}${parsed.pathname}${parsed.search}` };
  return { first: `${plain}/chat${parsed.search}`, second: `${plain}${parsed.search}` };
}

interface ChatAsk {
  readonly request: TextModelRequest;
  readonly how: AskOptions;
  readonly options: ChatOptions;
}

async function askAt(url: string, asking: ChatAsk): Promise<TextModelAnswer> {
  try {
    return await exchange(url, asking);
  } catch (error) {
    asking.how.signal.throwIfAborted();
    throw failureOfSdk(error, asking.options);
  }
}

async function exchange(url: string, { request, how, options }: ChatAsk): Promise<TextModelAnswer> {
  const init = { method: 'POST', headers: headersOf(options), body: bodyOf(request, options) };
  const response = await guardedFetch(url, { ...init, signal: how.signal }, options);
  const type = response.headers.get('content-type')?.toLowerCase() ?? '';
  const answer = new AnswerText(options, how);
  if (type.includes('event-stream') || type.includes('ndjson') || type.includes('jsonl')) {
    return answer.finish(await readStream(response, answer, options));
  }
  const text = await (await refusePage(response, options)).text();
  return answer.finish(readWhole({ text, type }, answer, options));
}

/** An answer that came in one piece: JSON, or the bare text of it. */
function readWhole(
  { text, type }: { readonly text: string; readonly type: string },
  answer: AnswerText,
  endpoint: Endpoint,
): Omit<TextModelAnswer, 'text'> {
  const value = parse(text);
  if (value === undefined) {
    if (type.includes('json') || text.trimStart().startsWith('<')) {
      throw badAnswer(type, text, endpoint);
    }
    answer.add(text);
    return { finish: 'other', usage: null };
  }
  const error = readError(value);
  if (error !== null) {
    const reason = `it reported an error (${quote(error, endpoint.key)})`;
    throw new ModelCallError('models.overloaded', { model: endpoint.model, reason });
  }
  const found = readAnswer(value);
  if (found === null) {
    const reason = `no text was found in ${quote(text, endpoint.key)}`;
    throw new ModelCallError('models.bad_answer', { model: endpoint.model, reason });
  }
  answer.add(found.text);
  return { finish: found.finish ?? 'other', usage: found.usage ?? null };
}

function headersOf({ url, key }: ChatOptions): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    ...authorizationOf(url, key),
  };
}

function bodyOf(request: TextModelRequest, { id }: ChatOptions): string {
  const { messages, maxOutputTokens, temperature, stopSequences } = request;
  return JSON.stringify({
    messages,
    ...(id === null ? {} : { model: id }),
    ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(stopSequences === undefined ? {} : { stop: stopSequences }),
  });
}

/** The endpoint has no method to ask that: whatever it answers to a plain request, it is there. */
async function isThere(signal: AbortSignal, options: ChatOptions): Promise<null> {
  const { origin } = new URL(options.url);
  const headers = authorizationOf(options.url, options.key);
  try {
    const response = await guardedFetch(origin, { signal, headers, method: 'GET' }, options);
    await response.body?.cancel();
  } catch (error) {
    signal.throwIfAborted();
    const { code } = failureOfSdk(error, options);
    if (code === 'models.unreachable' || code === 'models.refused_key') throw error;
  }
  return null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A line may be so many times as long as an answer: in JSON a character becomes up to six. */
const maxLineRatio = 8;

/** Puts the pieces of a stream of events, or of lines of JSON, together. */
async function readStream(
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
      throw new ModelCallError('models.endless_answer', { model: endpoint.model, reason });
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
    throw new ModelCallError('models.bad_answer', { model: endpoint.model, reason });
  }
  const error = readError(value);
  if (error !== null) {
    const reason = `it reported an error (${quote(error, endpoint.key)})`;
    throw new ModelCallError('models.overloaded', { model: endpoint.model, reason });
  }
  return readAnswer(typeof value === 'number' ? data : value);
}
