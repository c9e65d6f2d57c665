import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { ChatMessage } from '../../contract/model/index.ts';
import type { AskOptions, TextModelAnswer, TextModelRequest } from '../text-model.ts';
import { AnswerText, type Endpoint } from './endpoint.ts';
import { failureOfSdk } from './failures.ts';

export interface SdkAsk {
  readonly language: LanguageModelV4;
  readonly endpoint: Endpoint;
  readonly request: TextModelRequest;
  readonly options: AskOptions;
  readonly providerOptions?: SharedV4ProviderOptions;
  /** Whether the server said that the answer is complete, where it left out the reason. */
  readonly isComplete?: () => boolean;
}

/** Asks a model of the AI SDK once, as a stream: so it can be watched, shown and stopped in the middle. */
export async function askLanguageModel(ask: SdkAsk): Promise<TextModelAnswer> {
  const { language, endpoint, options } = ask;
  const answer = new AnswerText(endpoint, options);
  let ending: Omit<TextModelAnswer, 'text'> = { finish: 'other', usage: null };
  try {
    const { stream } = await language.doStream(callOptions(ask));
    for await (const part of stream) {
      if (part.type === 'error' && isMissingReason(part, ask)) continue;
      if (part.type === 'error') throw part.error;
      if (part.type === 'text-delta') answer.add(part.delta);
      if (part.type === 'reasoning-delta') answer.addThought(part.delta);
      if (part.type === 'finish') {
        ending = { finish: finishOf(part.finishReason), usage: usageOf(part.usage) };
      }
    }
  } catch (error) {
    options.signal.throwIfAborted();
    throw failureOfSdk(error, endpoint);
  }
  return answer.finish(ending);
}

/** Some servers end a stream properly and never say why the model stopped. */
function isMissingReason(
  { error }: Extract<LanguageModelV4StreamPart, { type: 'error' }>,
  { isComplete }: SdkAsk,
): boolean {
  const name = error instanceof Error ? error.name : '';
  return name === 'AI_InvalidResponseDataError' && isComplete?.() === true;
}

function callOptions({ request, options, providerOptions }: SdkAsk): LanguageModelV4CallOptions {
  const { maxOutputTokens, temperature, stopSequences, json } = request;
  return {
    prompt: request.messages.map(promptOf),
    abortSignal: options.signal,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
    ...(json === undefined
      ? {}
      : { responseFormat: { type: 'json', name: json.name, schema: { ...json.schema } } }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
}

function promptOf({ role, content }: ChatMessage): LanguageModelV4CallOptions['prompt'][number] {
  if (role === 'system') return { role, content };
  return { role, content: [{ type: 'text', text: content }] };
}

function finishOf({ unified }: LanguageModelV4FinishReason): TextModelAnswer['finish'] {
  if (unified === 'stop' || unified === 'length') return unified;
  return unified === 'content-filter' ? 'filtered' : 'other';
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): TextModelAnswer['usage'] {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return null;
  return { inputTokens: inputTokens.total, outputTokens: outputTokens.total };
}
