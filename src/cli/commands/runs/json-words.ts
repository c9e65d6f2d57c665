import type { Json } from '../../../contract/plan/index.ts';
import { UsageError } from '../../errors.ts';
import type { Io } from '../../io.ts';
import { readInput } from '../../read-input.ts';

/** A JSON value from the command line; throws when it is none. */
export function parseJson(what: string, text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${what} is not JSON: ${reason}`);
  }
}

export function parseJsonObject(what: string, text: string): Readonly<Record<string, Json>> {
  const value = parseJson(what, text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${what} must be a JSON object such as {"name": "value"}`);
  }
  return value;
}

/** A word that is JSON, else a text; `-` and `@FILE` take it from standard input or a file. */
export async function looseJson(word: string, io: Io): Promise<Json> {
  const isRead = word === '-' || word.startsWith('@');
  const text = isRead ? await readInput(word.replace(/^@/, ''), io) : word;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
