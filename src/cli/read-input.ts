import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { Json } from '../contract/plan/index.ts';
import { liesInside, readRegularFile } from '../kernel/index.ts';
import { UnreadableInputError, UsageError } from './errors.ts';
import type { Io } from './io.ts';

/** Arguments larger than this do not belong on a command line, not even in a file. */
const maxInputBytes = 67_108_864;

/**
 * The text of a file, or of standard input when the name is `-`. What is named below the current folder has to lie
 * there: a link of a cloned project fetches nothing from elsewhere.
 */
export async function readInput(name: string, io: Io): Promise<string> {
  const bytes = name === '-' ? await readStdin(io) : await readNamed(name, io);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableInputError(name, 'it is not UTF-8 text');
  }
}

async function readNamed(name: string, { cwd }: Io): Promise<Buffer> {
  const path = resolve(cwd, name);
  const limits = { maxBytes: maxInputBytes, ...(liesInside(cwd, path) && { inside: [cwd] }) };
  try {
    return await readRegularFile(path, limits);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadableInputError(name, reason, { cause: error });
  }
}

/** Ends with an error when the user cancels, even while it waits for more. */
async function readStdin({ stdin, signal }: Io): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of addAbortSignal(signal, stdin)) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > maxInputBytes) {
      throw new UnreadableInputError('-', `it is longer than ${maxInputBytes} bytes`);
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

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
