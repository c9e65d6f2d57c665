import type { Io } from '../../io.ts';
import { describeWait } from './describe-wait.ts';
import type { Approval } from './follow-run.ts';

/** The verdict of the person at the terminal; undefined when there is none, or the question is left for later. */
export async function askApproval(
  io: Io,
  approval: Approval,
): Promise<'approved' | 'denied' | undefined> {
  const isTerminal = 'isTTY' in io.stdin && io.stdin.isTTY === true && io.stderr.isTTY === true;
  if (!isTerminal) return undefined;
  const { createInterface } = await import('node:readline/promises');
  io.stderr.write(`${describeWait(approval)}\nApprove? [y]es, [n]o, Enter to decide later: `);
  const lines = createInterface({ input: io.stdin });
  try {
    const answer = await Promise.race([
      lines.question('', { signal: io.signal }),
      // The input ended without an answer.
      new Promise<string>((resolve) => lines.once('close', () => resolve(''))),
    ]);
    if (/^\s*y(?:es)?\s*$/i.test(answer)) return 'approved';
    return /^\s*no?\s*$/i.test(answer) ? 'denied' : undefined;
  } finally {
    lines.close();
  }
}
