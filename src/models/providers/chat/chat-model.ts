import { ModelBadAnswerError, ModelNotFoundError, ModelOverloadedError } from '../../errors.ts';
import type { AskOptions, TextModel, TextModelAnswer, TextModelRequest } from '../../text-model.ts';
import { AnswerText } from '../answer-text.ts';
import { authorizationOf, quote, shownUrl, type Endpoint } from '../endpoint.ts';
import { failureOfSdk } from '../failure-of-sdk.ts';
import { guardedFetch } from '../guarded-fetch.ts';
import { problemOf } from '../list-models.ts';
import { badAnswer, refusePage } from '../refuse-page.ts';
import { readAnswer, readError } from './read-answer.ts';
import { readStream } from './read-stream.ts';

export interface ChatOptions extends Endpoint {
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
      if (!(error instanceof ModelNotFoundError) || urls.second === undefined) throw error;
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
    throw new ModelOverloadedError({ model: endpoint.model, reason });
  }
  const found = readAnswer(value);
  if (found === null) {
    const reason = `no text was found in ${quote(text, endpoint.key)}`;
    throw new ModelBadAnswerError({ model: endpoint.model, reason });
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
