import type { LanguageModelV4 } from '@ai-sdk/provider';
import { writesText } from '../detect/find-local-endpoints.ts';
import { isModelFailure, ModelCallError } from '../errors.ts';
import type { TextModel, TextModelAnswer } from '../text-model.ts';
import { askLanguageModel, type SdkAsk } from './ask-language-model.ts';
import { authorizationOf, type Endpoint, shownUrl } from './endpoint.ts';
import { badAnswer, refusePage } from './failures.ts';
import {
  asPlatformResponse,
  guardedFetch,
  listModels,
  problemOf,
  wireRequestOf,
  WireResponse,
} from './guarded-fetch.ts';
import { PlainHeaders } from './plain-headers.ts';

interface OpenAiOptions extends Endpoint {
  readonly provider: Extract<TextModel['provider'], 'openai' | 'ollama' | 'llama-server'>;
  /** The model's own name; the first one that the server lists and that writes text when it is null. */
  readonly id: string | null;
  readonly url: string;
  readonly contextTokens: number | null;
}

/** A model behind an endpoint that speaks OpenAI's chat protocol. */
export function createOpenAiModel(options: OpenAiOptions): TextModel {
  const urls = openAiUrls(options.url);
  const headers = authorizationOf(options.url, options.key);
  const list = (signal: AbortSignal): Promise<readonly string[] | null> =>
    listModels(urls.method('/models'), { signal, headers }, options);
  /** What the server is known not to take; it is not offered again. */
  const known = new Set<Adaptation>();
  let id = options.id;

  const languages = createOpenAiLanguages({ urls, headers, endpoint: options });

  const ask = async ({ request, how, adaptations }: AdaptedAsk) => {
    id ??= await firstModel(list, how.signal, options);
    const signal = AbortSignal.any([how.signal]);
    return askLanguageModel({
      language: await languages.find(id, adaptations),
      endpoint: options,
      request,
      options: { ...how, signal },
      // Strict mode refuses most schemas; ours are checked here anyway.
      providerOptions: { openaiCompatible: { strictJsonSchema: false } },
      isComplete: () => languages.isComplete(signal),
    });
  };

  return {
    name: options.model,
    provider: options.provider,
    model: options.id,
    url: shownUrl(options.url),
    contextTokens: options.contextTokens,
    ask: async (request, how) => {
      try {
        return await adapting(known, request, (adaptations) => ask({ request, how, adaptations }));
      } catch (error) {
        // The first one of the list may have gone, and another one has come.
        if (isModelFailure(error, 'models.not_found')) id = options.id;
        throw error;
      }
    },
    probe: async (signal) => ({ problem: await problemOf(list(signal), options.id) }),
    close: async () => undefined,
  };
}

interface AdaptedAsk {
  readonly request: SdkAsk['request'];
  readonly how: SdkAsk['options'];
  readonly adaptations: ReadonlySet<Adaptation>;
}

/**
 * Asks again without what the server says it does not know, each such thing once. Only what helped is known
 * from then on: a request may be refused for something else altogether.
 */
async function adapting(
  known: Set<Adaptation>,
  request: SdkAsk['request'],
  ask: (adaptations: ReadonlySet<Adaptation>) => Promise<TextModelAnswer>,
): Promise<TextModelAnswer> {
  const adaptations = new Set(known);
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await ask(adaptations);
      for (const adaptation of adaptations) known.add(adaptation);
      return answer;
    } catch (error) {
      if (!isModelFailure(error, 'models.refused_request') || tries >= maxAdaptations) throw error;
      const adaptation = adaptationFor(error.message, {
        isJson: request.json !== undefined,
        known: adaptations,
      });
      if (adaptation === undefined) throw error;
      adaptations.add(adaptation);
    }
  }
}

async function firstModel(
  list: (signal: AbortSignal) => Promise<readonly string[] | null>,
  signal: AbortSignal,
  { model }: Endpoint,
): Promise<string> {
  const listed = await list(signal);
  // A server that lists none usually has just one, whatever it is called.
  if (listed === null) return 'default';
  const first = listed.find(writesText) ?? listed[0];
  if (first === undefined) {
    throw new ModelCallError('models.not_found', {
      model,
      reason: 'the server has no model yet; load one',
    });
  }
  return first;
}

/** `http://host:1234`, with or without `/v1` or the path of the method itself. */
function openAiUrls(url: string): {
  readonly base: string;
  readonly method: (path: string) => string;
} {
  const { origin, pathname, search } = new URL(url);
  const path = pathname.replace(/\/{1,8}$/, '').replace(/\/chat\/completions$/, '');
  const base = `${origin}${path === '' ? '/v1' : path}`;
  return { base, method: (name) => `${base}${name}${search}` };
}

/** What is left out or named otherwise for a server that does not take it. */
type Adaptation =
  | 'no-response-format'
  | 'no-temperature'
  | 'no-stream-options'
  | 'no-stop'
  | 'completion-tokens';

/** Each once, and then it is over. */
const maxAdaptations = 5;

const signs: readonly (readonly [RegExp, Adaptation])[] = [
  [/max_completion_tokens/i, 'completion-tokens'],
  [/stream_options|include_usage/i, 'no-stream-options'],
  [/response_format|json_schema|json_object|structured output|grammar/i, 'no-response-format'],
  [/temperature/i, 'no-temperature'],
  [/\bstop\b/i, 'no-stop'],
];

/** What to do about a refused request; undefined where nothing is known that might help. */
function adaptationFor(
  refusal: string,
  state: { readonly isJson: boolean; readonly known: ReadonlySet<Adaptation> },
): Adaptation | undefined {
  for (const [sign, adaptation] of signs) {
    if (sign.test(refusal) && !state.known.has(adaptation)) return adaptation;
  }
  // Many servers refuse a response format without naming it.
  return state.isJson && !state.known.has('no-response-format') ? 'no-response-format' : undefined;
}

type Body = Readonly<Record<string, unknown>>;

function adaptBody(body: Body, adaptations: ReadonlySet<Adaptation>): Body {
  const changed: Record<string, unknown> = { ...body };
  if (adaptations.has('no-response-format')) delete changed['response_format'];
  if (adaptations.has('no-temperature')) delete changed['temperature'];
  if (adaptations.has('no-stream-options')) delete changed['stream_options'];
  if (adaptations.has('no-stop')) delete changed['stop'];
  if (adaptations.has('completion-tokens')) {
    changed['max_completion_tokens'] = changed['max_tokens'];
    delete changed['max_tokens'];
  }
  return changed;
}

interface OpenAiServer {
  readonly urls: { readonly base: string; method(path: string): string };
  readonly headers: Record<string, string>;
  readonly endpoint: Endpoint;
}

/** A server's models, and what it does not take, are few. */
const maxLanguages = 16;

/** The models of a server as the AI SDK asks them: making one takes as long as reading a short answer. */
function createOpenAiLanguages({ urls, headers, endpoint }: OpenAiServer) {
  const languages = new Map<string, LanguageModelV4>();
  const complete = new WeakSet<AbortSignal>();
  const fetchAnswer: typeof fetch = async (_url, init = {}) => {
    const { signal } = init;
    const request = wireRequestOf(init);
    const answer = await guardedFetch(urls.method('/chat/completions'), request, endpoint);
    const events = endsWithDone(await asEventStream(answer, endpoint), () => {
      if (signal) complete.add(signal);
    });
    return asPlatformResponse(events);
  };
  return {
    async find(model: string, adaptations: ReadonlySet<Adaptation>): Promise<LanguageModelV4> {
      const key = JSON.stringify([model, ...[...adaptations].toSorted()]);
      const known = languages.get(key);
      if (known) return known;
      // A copy: the caller may add to it.
      const own = new Set(adaptations);
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const language = createOpenAICompatible({
        name: 'openaiCompatible',
        baseURL: urls.base,
        headers,
        includeUsage: true,
        supportsStructuredOutputs: true,
        transformRequestBody: (body) => adaptBody(body, own),
        fetch: fetchAnswer,
      }).languageModel(model);
      if (languages.size >= maxLanguages) languages.clear();
      languages.set(key, language);
      return language;
    },
    /** Whether the answer to a request is complete; each request has a signal of its own. */
    isComplete: (signal: AbortSignal): boolean => complete.has(signal),
  };
}

/**
 * The response as the stream of events that was asked for: some servers ignore that and send the whole
 * answer as one JSON. Throws `models.bad_answer` where it is a page or no JSON.
 */
async function asEventStream(response: WireResponse, endpoint: Endpoint): Promise<WireResponse> {
  const type = response.headers.get('content-type')?.toLowerCase() ?? '';
  if (!type.includes('json')) return refusePage(response, endpoint);
  const text = await response.text();
  const events = eventsOf(text, endpoint);
  if (events === undefined) throw badAnswer(type, text, endpoint);
  const headers = new PlainHeaders({ 'content-type': 'text/event-stream' });
  return new WireResponse(streamOf(Buffer.from(events)), { headers });
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

function eventsOf(text: string, endpoint: Endpoint): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof body !== 'object' || body === null) return undefined;
  if ('error' in body) return `data: ${JSON.stringify({ error: errorOf(body.error) })}\n\n`;
  if (!('choices' in body) || !Array.isArray(body.choices)) return undefined;
  const choices: readonly unknown[] = body.choices;
  const [choice] = choices;
  if (choice === undefined) {
    const reason = 'its list of choices is empty';
    throw new ModelCallError('models.empty_answer', { model: endpoint.model, reason });
  }
  if (typeof choice !== 'object' || choice === null || !('message' in choice)) return undefined;
  const reason = 'finish_reason' in choice ? choice.finish_reason : null;
  const chunk = { ...body, choices: [{ delta: choice.message, finish_reason: reason ?? 'stop' }] };
  return `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
}

function errorOf(error: unknown): object {
  return typeof error === 'object' && error !== null ? error : { message: String(error) };
}

const done = '[DONE]';

/** The same response; calls `onDone` when the stream declares itself complete. */
function endsWithDone(response: WireResponse, onDone: () => void): WireResponse {
  if (response.body === null) return response;
  let tail = '';
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      tail = `${tail}${Buffer.from(piece.subarray(-32)).toString('latin1')}`.slice(-32);
      controller.enqueue(piece);
    },
    flush() {
      if (tail.includes(done)) onDone();
    },
  });
  return new WireResponse(response.body.pipeThrough(watch), { headers: response.headers });
}
