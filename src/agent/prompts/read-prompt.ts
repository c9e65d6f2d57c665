import { readFileSync } from 'node:fs';
import { ownFile } from '../../kernel/index.ts';

export const promptNames = [
  'intent',
  'plan',
  'look',
  'repair',
  'answer',
  'direct',
  'summary',
] as const;
export type PromptName = (typeof promptNames)[number];

export interface Prompt {
  /** Grows by one whenever the text changes its meaning. */
  readonly version: number;
  readonly text: string;
}

const versionLine = /^<!-- version: (\d+) -->\n/;

/** The instructions a model gets, from the file of that name beside this one; how steps are written stands in one place. */
export function readPrompt(name: PromptName, boundary: string): Prompt {
  const { version, text } = readText(name);
  const whole = text.replace('{{steps}}', () => readText('steps').text);
  return { version, text: whole.replaceAll('{{boundary}}', boundary) };
}

function readText(file: PromptName | 'steps'): Prompt {
  const raw = readFileSync(ownFile(`agent/prompts/${file}.md`), 'utf8');
  const version = Number(versionLine.exec(raw)?.[1]);
  return { version, text: raw.replace(versionLine, '').trim() };
}
