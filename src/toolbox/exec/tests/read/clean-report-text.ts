import { cleanOutput } from '../../clean-output.ts';
import { cutBefore } from '../../live-output.ts';

const maxNameLength = 500;
const maxMessageLength = 4_000;
const encoder = new TextEncoder();

/** A name from a report on one line: no control characters, no more than fits. */
export function cleanName(name: string): string {
  return shorten(
    cleanText(name.slice(0, 4 * maxNameLength)).replaceAll(/\s+/g, ' '),
    maxNameLength,
  );
}

/** A message from a report: lines of text without escape sequences, its end cut when it is long. */
export function cleanMessage(message: string): string {
  const start = message.slice(0, 4 * maxMessageLength);
  return shorten(cleanText(start).trim(), maxMessageLength);
}

function cleanText(text: string): string {
  return cleanOutput(encoder.encode(text));
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, cutBefore(text, length - 1))}…`;
}
