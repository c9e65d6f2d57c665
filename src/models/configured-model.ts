import type { ModelProvider } from '../contract/model/index.ts';
import type { Secret } from '../kernel/index.ts';
import type { ModelLimits, TextModel } from './text-model.ts';
import { createAnthropicModel } from './providers/anthropic-model.ts';
import { createChatModel } from './providers/chat-model.ts';
import { createOpenAiModel } from './providers/openai-model.ts';

/** A model as the settings name it. */
export interface ModelEntry {
  /** The name in the settings. */
  readonly name: string;
  readonly kind: Exclude<ModelProvider, 'gguf' | 'client'>;
  /** The kind's own address when not given. */
  readonly url?: string | undefined;
  readonly model?: string | undefined;
  readonly key?: Secret | undefined;
  readonly contextTokens?: number | undefined;
}

/** A model to ask over HTTP; nothing is loaded or reached before it is asked. */
export function createConfiguredModel(entry: ModelEntry, limits: ModelLimits): TextModel {
  const model = entry.model ?? usualModel(entry);
  const endpoint = {
    model: model === undefined ? entry.name : `${entry.name}/${model}`,
    key: entry.key ?? null,
    contextTokens: entry.contextTokens ?? null,
    limits,
  };
  const { kind } = entry;
  const url = entry.url ?? defaultUrls[kind];
  switch (kind) {
    case 'openai':
    case 'ollama':
    case 'llama-server':
      return createOpenAiModel({ ...endpoint, provider: kind, id: model ?? null, url });
    case 'anthropic':
      return createAnthropicModel({ ...endpoint, id: model ?? vendorModels.anthropic, url });
    case 'chat':
      return createChatModel({ ...endpoint, id: model ?? null, url });
  }
}

const defaultUrls: Readonly<Record<ModelEntry['kind'], string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  ollama: 'http://127.0.0.1:11434',
  'llama-server': 'http://127.0.0.1:8080',
  chat: 'http://127.0.0.1:8000/chat',
};

const vendorModels = { openai: 'gpt-5-mini', anthropic: 'claude-sonnet-5' } as const;

/** The first model that a vendor lists is a matter of chance, so there one is named here. */
function usualModel({ kind, url }: ModelEntry): string | undefined {
  if (kind === 'anthropic') return vendorModels.anthropic;
  return kind === 'openai' && url === undefined ? vendorModels.openai : undefined;
}
