import type { Io } from './io.ts';

/** Asks a question that yes or no answers; undefined when there is no terminal to ask at. */
export async function askYes(io: Io, question: string): Promise<boolean | undefined> {
  const isTerminal = 'isTTY' in io.stdin && io.stdin.isTTY === true && io.stderr.isTTY === true;
  if (!isTerminal) return undefined;
  const { createInterface } = await import('node:readline/promises');
  io.stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: io.stdin });
  try {
    const answer = await Promise.race([
      lines.question('', { signal: io.signal }),
      // The input ended without an answer.
      new Promise<string>((resolve) => lines.once('close', () => resolve(''))),
    ]);
    return /^\s*y(?:es)?\s*$/i.test(answer);
  } finally {
    lines.close();
  }
}
