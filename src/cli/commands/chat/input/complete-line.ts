import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { printable } from '../../../printable.ts';
import { findInside, type Place } from '../attachments.ts';

export interface Completable {
  /** Chat commands with their slash. */
  readonly commands: readonly string[];
  readonly tools: () => Promise<readonly string[]>;
  readonly place: Place;
}

const maxCandidates = 200;
/** Shorter words fit too much. */
const minToolLetters = 3;

/** What the end of a line may become: a command, a tool's name, a file after `@`; and that end. */
export async function completeLine(
  line: string,
  { commands, tools, place }: Completable,
): Promise<[candidates: string[], end: string]> {
  if (/^\/\S*$/.test(line)) return [startingWith(line, commands).map((name) => `${name} `), line];
  const word = line.split(/\s/).at(-1) ?? '';
  if (word.startsWith('@')) return [await filesFor(word.slice(1), place), word];
  if (/^\/(?:attach|load|save)\s/.test(line)) {
    return [(await filesFor(word, place)).map((file) => file.slice(1)), word];
  }
  const isToolWanted = /^\/tools\s/.test(line) || word.length >= minToolLetters;
  return [isToolWanted ? startingWith(word, await tools()) : [], word];
}

/** The line editor writes candidates to the terminal itself, so those with control characters are left out. */
function startingWith(word: string, names: readonly string[]): string[] {
  return names
    .filter((name) => name.startsWith(word) && printable(name) === name)
    .slice(0, maxCandidates);
}

/** Files and folders inside the roots whose path begins so, as mentions. */
async function filesFor(path: string, place: Place): Promise<string[]> {
  const folder = path.endsWith('/') ? path : `${dirname(path)}/`;
  const start = path.startsWith('./') || folder !== './' ? folder : '';
  const entries = await readdir(await findInside(folder, place), { withFileTypes: true });
  const isHiddenWanted = path.slice(start.length).startsWith('.');
  const paths = entries
    .filter(({ name }) => isHiddenWanted || !name.startsWith('.'))
    .map((entry) => `@${start}${entry.name}${entry.isDirectory() ? '/' : ''}`);
  return startingWith(`@${path}`, paths.toSorted());
}
