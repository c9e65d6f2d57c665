import { readShortReply } from '../../../kernel/index.ts';
import { describeWait } from './describe-wait.ts';
import { showCall, wholeCall, type Approval } from './shown-call.ts';

type Verdict = 'approved' | 'denied';

/** Asks the person at the terminal; undefined when nobody answers. */
export type AskPerson = (question: string) => Promise<string | undefined>;

/** Whoever asks for more than this does not decide. */
const maxQuestions = 20;

/**
 * The verdict of the person at the terminal; undefined when there is none, or the question is left for later.
 * What was not shown is not approved: where something is cut, all of it has to be asked for first.
 */
export async function askApproval(
  ask: AskPerson,
  approval: Approval,
): Promise<Verdict | undefined> {
  const { isCut } = showCall(approval);
  let isSeen = !isCut;
  let shown = describeWait(approval);
  for (let count = 0; count < maxQuestions; count += 1) {
    const answer = (await ask(`${shown}\n${choices(isSeen, isCut)}: `)) ?? '';
    if (isCut && /^\s*a(?:ll)?\s*$/i.test(answer)) {
      isSeen = true;
      shown = wholeCall(approval);
      continue;
    }
    const said = readShortReply(answer);
    if (said === 'no') return 'denied';
    if (said !== 'yes') return undefined;
    if (isSeen) return 'approved';
    shown = 'Nothing was approved: not all of it was shown yet';
  }
  return undefined;
}

function choices(isSeen: boolean, isCut: boolean): string {
  const yes = isSeen ? '[y]es, ' : '';
  const all = isCut ? '[a]ll of it, ' : '';
  return `Approve? ${isSeen ? `${yes}${all}` : all}[n]o, Enter to decide later`;
}
