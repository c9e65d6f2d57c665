import { askLine, isAtTerminal } from './ask-line.ts';
import type { Io } from './io.ts';

/** Asks a question that yes or no answers; undefined when there is no terminal to ask at. */
export async function askYes(io: Io, question: string): Promise<boolean | undefined> {
  if (!isAtTerminal(io)) return undefined;
  const answer = (await askLine(io, `${question} [y/N] `)) ?? '';
  return /^\s*y(?:es)?\s*$/i.test(answer);
}
