import { readFile } from 'node:fs/promises';
import type { ChatMessage } from '../../contract/model/index.ts';
import { ownFile } from '../../kernel/index.ts';

export type PromptName =
  | 'generate-code'
  | 'repair-code'
  | 'generate-tests'
  | 'repair-tests'
  | 'formalize-task'
  | 'write-documentation';

export interface FilledPrompt {
  /** `generate-code@1`: what was asked can be found again. */
  readonly id: string;
  readonly messages: readonly ChatMessage[];
}

/** A prompt of ours with its blanks filled. What is put in is not looked into for further blanks. */
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
