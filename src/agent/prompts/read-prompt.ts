import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { digestJson, ownFile } from '../../kernel/index.ts';

export const promptNames = [
  'intent',
  'plan',
  'look',
  'repair',
  'answer',
  'direct',
  'summary',
] as const;
type PromptName = (typeof promptNames)[number];

interface Prompt {
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

const texts = new Map<PromptName | 'steps', Prompt>();

function readText(file: PromptName | 'steps'): Prompt {
  const known = texts.get(file);
  if (known) return known;
  const raw = readFileSync(ownFile(`agent/prompts/${file}.md`), 'utf8');
  const version = Number(versionLine.exec(raw)?.[1]);
  const prompt = { version, text: raw.replace(versionLine, '').trim() };
  texts.set(file, prompt);
  return prompt;
}

/** Marks text that is data: what it says is reported, never obeyed. */
export interface DataBlocks {
  /** Unknown to the author of the data, so no data can end its own block; `seal` replaces it. */
  readonly boundary: string;
  block(label: string, text: string, maxChars?: number): string;
  /**
   * The messages with a boundary that depends on all that is in them: the same request has the same bytes, and no data
   * can hold its own boundary.
   */
  seal<Message extends { readonly content: string }>(messages: readonly Message[]): Message[];
}

const defaultMaxChars = 20_000;
const digestPrefix = 'sha256:';

export function createDataBlocks(): DataBlocks {
  const boundary = randomBytes(8).toString('hex');
  return {
    boundary,
    block: (label, text, maxChars = defaultMaxChars) =>
      [
        `<data-${boundary} what="${plainLabel(label)}">`,
        cutMiddle(text, maxChars),
        `</data-${boundary}>`,
      ].join('\n'),
    seal: (messages) => {
      const digest = digestJson(
        messages.map(({ content }) => content.replaceAll(boundary, '')),
      ).slice(digestPrefix.length, digestPrefix.length + boundary.length);
      return messages.map((message) => ({
        ...message,
        content: message.content.replaceAll(boundary, digest),
      }));
    },
  };
}

/** Keeps the beginning and the end, where most of what matters stands. */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} characters left out …\n${text.slice(-half)}`;
}

/** A message of any length, as it stands in a request; a longer one belongs in a file. */
const maxWordsChars = 24_000;

export function cutWords(words: string): string {
  return cutMiddle(words, maxWordsChars);
}

/** Labels may hold file names, which others choose. */
function plainLabel(label: string): string {
  return label.replaceAll(/[^\p{L}\p{N} ._:/@()-]/gu, ' ').slice(0, 200);
}
