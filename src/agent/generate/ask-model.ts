import type { z } from 'zod';
import { budgetsMetaKey, type Models, type ModelValue } from '../../contract/model/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { fillPrompt, type PromptName } from './fill-prompt.ts';

/** What generation needs of models. */
export type CodeModels = Pick<Models, 'find' | 'structured'>;

export interface ModelLimits {
  readonly maxNewTokens: number;
  readonly stopSequences: readonly string[];
}

export interface Question<Value> {
  readonly prompt: PromptName;
  readonly values: Readonly<Record<string, string>>;
  readonly name: string;
  readonly schema: z.ZodType<Value>;
}

/** Asks the model for code, on behalf of who called and within their budgets. Throws `models.…`. */
export async function askModel<Value>(
  models: CodeModels,
  question: Question<Value>,
  { limits, context }: { readonly limits: ModelLimits; readonly context: CallContext },
): Promise<ModelValue<Value>> {
  const { id, messages } = await fillPrompt(question.prompt, question.values);
  context.annotate?.({ 'tutti.generation.prompt': id });
  const request = {
    name: question.name,
    schema: question.schema,
    messages,
    maxOutputTokens: limits.maxNewTokens,
    ...(limits.stopSequences.length > 0 && { stopSequences: limits.stopSequences }),
  };
  return models.structured('code', request, {
    caller: context.caller,
    signal: context.signal,
    budgets: budgetsOf(context),
    ...(context.client && { client: context.client }),
  });
}

function budgetsOf({ meta }: CallContext): readonly string[] {
  const named = meta[budgetsMetaKey];
  return Array.isArray(named) ? named.filter((name) => typeof name === 'string') : [];
}

/** A text inside a prompt, marked as code. */
export function fenced(text: string): string {
  return text.trim() === '' ? '(none)' : `\`\`\`\n${text.trimEnd()}\n\`\`\``;
}

/** Models put code into fences even where nothing but code is asked for. */
export function withoutFence(text: string): string {
  const match = /^\s*```[^\n]{0,40}\n([^]*?)\n?```\s*$/.exec(text);
  const code = match?.[1] ?? text;
  return code.trim() === '' ? '' : `${code.trimEnd()}\n`;
}
