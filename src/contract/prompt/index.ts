import type { ContentBlock } from '../tool/index.ts';

/** A prompt as `prompts/list` shows it. */
export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
}

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** What `prompts/get` returns. */
export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
}

export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlock;
}
