import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from './errors.ts';
import type { Io } from './io.ts';
import { readInput } from './read-input.ts';

/** One `name=value` of a command line, its value read from where it points to. */
export interface Pair {
  readonly name: string;
  readonly value: string;
}

/** `name=value`; `name=@FILE` and `name=-` take the value from a file or standard input. */
export async function parsePairs(words: readonly string[], io: Io): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  let stdinUser: string | undefined;
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) throw new UsageError(notPair(word, io));
    const name = word.slice(0, at);
    const given = word.slice(at + 1);
    if (given === '-' && stdinUser !== undefined) {
      throw new UsageError(`Standard input can be one argument, not both ${stdinUser} and ${name}`);
    }
    if (given === '-') stdinUser = name;
    pairs.push({ name, value: await readValue(given, io) });
  }
  return pairs;
}

function notPair(word: string, { cwd }: Io): string {
  const example = existsSync(resolve(cwd, word)) ? `, such as path=${word},` : ',';
  return `An argument looks like name=value${example} and this is "${word}"`;
}

function readValue(given: string, io: Io): Promise<string> | string {
  if (given === '-') return readInput('-', io);
  if (given.startsWith('@@')) return given.slice(1);
  return given.startsWith('@') ? readInput(given.slice(1), io) : given;
}
