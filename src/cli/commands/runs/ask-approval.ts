import { readShortReply } from '../../../kernel/index.ts';
import { askLine, isAtTerminal } from '../../ask-line.ts';
import type { Io } from '../../io.ts';
import { describeWait } from './describe-wait.ts';
import type { Approval } from './follow-run.ts';

type Verdict = 'approved' | 'denied';

/** The verdict of the person at the terminal; undefined when there is none, or the question is left for later. */
export async function askApproval(io: Io, approval: Approval): Promise<Verdict | undefined> {
  if (!isAtTerminal(io)) return undefined;
  return verdictOf((await askLine(io, approvalQuestion(approval))) ?? '');
}

export function approvalQuestion(approval: Approval): string {
  return `${describeWait(approval)}\nApprove? [y]es, [n]o, Enter to decide later: `;
}

/** What the answer to `approvalQuestion` means; anything but a clear word decides nothing. */
export function verdictOf(answer: string): Verdict | undefined {
  const said = readShortReply(answer);
  if (said === 'yes') return 'approved';
  return said === 'no' ? 'denied' : undefined;
}
