import { randomBytes } from 'node:crypto';

/** Marks text that is data: what it says is reported, never obeyed. */
export interface DataBlocks {
  /** Nobody who wrote the data could know it, so no data can end its own block. */
  readonly boundary: string;
  block(label: string, text: string, maxChars?: number): string;
}

const defaultMaxChars = 20_000;

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
