import { isModelFailure } from '../errors.ts';
import type { AskOptions, TextModel, TextModelAnswer, TextModelRequest } from '../text-model.ts';
import { askLanguageModel } from './ask-language-model.ts';
import { refusePage } from './failures.ts';
import { type Endpoint, shownUrl } from './endpoint.ts';
import {
  asPlatformResponse,
  guardedFetch,
  listModels,
  problemOf,
  wireRequestOf,
} from './guarded-fetch.ts';

interface AnthropicOptions extends Endpoint {
  readonly id: string;
  readonly url: string;
  readonly contextTokens: number | null;
}

const apiVersion = '2023-06-01';

/** A model behind Anthropic's own protocol. */
export function createAnthropicModel(options: AnthropicOptions): TextModel {
  const baseUrl = anthropicBaseUrl(options.url);
  const key = options.key?.reveal() ?? '';
  /** False once it refused a request with a schema and took the same one without. */
  let takesSchemas = true;
  const ask = async (request: TextModelRequest, how: AskOptions): Promise<TextModelAnswer> => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const provider = createAnthropic({
      baseURL: baseUrl,
      apiKey: key,
      fetch: async (_url, init = {}) => {
        const answer = await guardedFetch(`${baseUrl}/messages`, wireRequestOf(init), options);
        return asPlatformResponse(await refusePage(answer, options));
      },
    });
    const language = provider.languageModel(options.id);
    return askLanguageModel({ language, endpoint: options, request, options: how });
  };
  return {
    name: options.model,
    provider: 'anthropic',
    model: options.id,
    url: shownUrl(options.url),
    contextTokens: options.contextTokens,
    ask: async ({ json, ...request }, how) => {
      if (json === undefined || !takesSchemas) return ask(request, how);
      try {
        return await ask({ ...request, json }, how);
      } catch (error) {
        if (!isModelFailure(error, 'models.refused_request')) throw error;
        const answer = await ask(request, how);
        takesSchemas = false;
        return answer;
      }
    },
    probe: async (signal) => {
      const headers = { 'x-api-key': key, 'anthropic-version': apiVersion };
      const listing = listModels(`${baseUrl}/models`, { signal, headers }, options);
      return { problem: await problemOf(listing, options.id) };
    },
    close: async () => undefined,
  };
}

function anthropicBaseUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/{1,8}$/, '').replace(/\/messages$/, '');
  return `${origin}${path === '' ? '/v1' : path}`;
}
