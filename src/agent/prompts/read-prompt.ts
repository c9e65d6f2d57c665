import { readFileSync } from 'node:fs';
import { ownFile } from '../../kernel/index.ts';

export const promptNames = ['intent', 'plan', 'repair', 'answer', 'direct', 'summary'] as const;
export type PromptName = (typeof promptNames)[number];

export interface Prompt {
  /** Grows by one whenever the text changes its meaning. */
  readonly version: number;
  readonly text: string;
}

const versionLine = /^<!-- version: (\d+) -->\n/;

/** The instructions a model gets, from the file of that name beside this one. */
export function readPrompt(name: PromptName, boundary: string): Prompt {
  const raw = readFileSync(ownFile(`agent/prompts/${name}.md`), 'utf8');
  const version = Number(versionLine.exec(raw)?.[1]);
  const text = raw.replace(versionLine, '').replaceAll('{{boundary}}', boundary).trim();
  return { version, text };
}
