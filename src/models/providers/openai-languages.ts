import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Endpoint } from './endpoint.ts';
import { guardedFetch, wireRequestOf } from './guarded-fetch.ts';
import { adaptBody, type Adaptation } from './openai-adaptations.ts';
import { asEventStream, endsWithDone } from './openai-events.ts';
import { asPlatformResponse } from './wire/wire-response.ts';

export interface OpenAiServer {
  readonly urls: { readonly base: string; method(path: string): string };
  readonly headers: Record<string, string>;
  readonly endpoint: Endpoint;
}

/** A server's models, and what it does not take, are few. */
const maxLanguages = 16;

/** The models of a server as the AI SDK asks them: making one takes as long as reading a short answer. */
export function createOpenAiLanguages({ urls, headers, endpoint }: OpenAiServer) {
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
      // Whoever gave it may add to it.
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
    /** Whether the answer to a request came to its end; each request has a signal of its own. */
    isComplete: (signal: AbortSignal): boolean => complete.has(signal),
  };
}
