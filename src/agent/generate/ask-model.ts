import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { modelLimitsOf } from '../../contract/agents/index.ts';
import {
  budgetsMetaKey,
  type ChatMessage,
  type Models,
  type ModelValue,
} from '../../contract/model/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { ownFile } from '../../kernel/index.ts';

/** The part of the models port that generation uses. */
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

/** Asks the model for code, on behalf of the caller and within its budgets. Throws `models.…`. */
export async function askModel<Value>(
  { models, limits }: { readonly models: CodeModels; readonly limits: ModelLimits },
  question: Question<Value>,
  context: CallContext,
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
    limits: modelLimitsOf(context.meta),
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

/** Models put code into fences even when asked for code alone. */
export function withoutFence(text: string): string {
  const match = /^\s*```[^\n]{0,40}\n([^]*?)\n?```\s*$/.exec(text);
  const code = match?.[1] ?? text;
  return code.trim() === '' ? '' : `${code.trimEnd()}\n`;
}

export type PromptName =
  | 'generate-code'
  | 'repair-code'
  | 'generate-tests'
  | 'repair-tests'
  | 'formalize-task'
  | 'write-documentation';

export interface FilledPrompt {
  /** `generate-code@1`, for the trace. */
  readonly id: string;
  readonly messages: readonly ChatMessage[];
}

/** A prompt with its blanks filled. Values are not searched for blanks. */
export async function fillPrompt(
  name: PromptName,
  values: Readonly<Record<string, string>>,
): Promise<FilledPrompt> {
  const text = await readFile(ownFile(`agent/generate/prompts/${name}.md`), 'utf8');
  const [, version = '0', body = ''] = /^---\nversion: (\d+)\n---\n([^]*)$/.exec(text) ?? [];
  const [, system = '', user = ''] = /^# system\n([^]*?)\n# user\n([^]*)$/.exec(body) ?? [];
  const fill = (part: string): string =>
    part
      .trim()
      .replaceAll(/\{\{(\w{1,40})\}\}/g, (blank, key: string) =>
        Object.hasOwn(values, key) ? (values[key] ?? blank) : blank,
      );
  return {
    id: `${name}@${version}`,
    messages: [
      { role: 'system', content: fill(system) },
      { role: 'user', content: fill(user) },
    ],
  };
}
