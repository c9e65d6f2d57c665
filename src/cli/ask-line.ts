import type { Io } from './io.ts';

/**
 * One line of the person at the terminal, without its end; undefined when the input ends instead.
 * Rejects when the program is asked to end. Only where `isAtTerminal`.
 */
export async function askLine(io: Io, question: string): Promise<string | undefined> {
  const { createInterface } = await import('node:readline/promises');
  io.stderr.write(question);
  const lines = createInterface({ input: io.stdin });
  try {
    return await Promise.race([
      lines.question('', { signal: io.signal }),
      new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined))),
    ]);
  } finally {
    lines.close();
  }
}

/** Whether a user at a terminal can read a question and answer it. */
export function isAtTerminal({ stdin, stderr }: Io): boolean {
  return 'isTTY' in stdin && stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks a question that yes or no answers; undefined when there is no terminal to ask at. */
export async function askYes(io: Io, question: string): Promise<boolean | undefined> {
  if (!isAtTerminal(io)) return undefined;
  const answer = (await askLine(io, `${question} [y/N] `)) ?? '';
  return /^\s*y(?:es)?\s*$/i.test(answer);
}
