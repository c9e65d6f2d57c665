import { writesText } from '../detect/choose-model.ts';
import { ModelNotFoundError, ModelRefusedRequestError } from '../errors.ts';
import type { TextModel, TextModelAnswer } from '../text-model.ts';
import { askLanguageModel, type SdkAsk } from './ask-language-model.ts';
import { authorizationOf, shownUrl, type Endpoint } from './endpoint.ts';
import { listModels, problemOf } from './list-models.ts';
import { adaptationFor, maxAdaptations, type Adaptation } from './openai-adaptations.ts';
import { createOpenAiLanguages } from './openai-languages.ts';

export interface OpenAiOptions extends Endpoint {
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
        if (error instanceof ModelNotFoundError) id = options.id;
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
      if (!(error instanceof ModelRefusedRequestError) || tries >= maxAdaptations) throw error;
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
    throw new ModelNotFoundError({ model, reason: 'the server has no model yet; load one' });
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
