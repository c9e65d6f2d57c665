import type { Waiting } from '../../contract/run/index.ts';
import type { CallContext, ClientPort, ClientRequest } from '../../contract/server/index.ts';
import { AppError, escapeLine, escapeUnseen } from '../../kernel/index.ts';

export type ApprovalWait = Extract<Waiting, { kind: 'approval' }>;

/** A question shows all of a call; what is longer is decided where it can be read, and said so. */
const maxShownChars = 20_000;

/** What a person said; undefined when they said nothing. */
export interface Verdict {
  readonly verdict: 'approved' | 'denied';
  readonly reason?: string;
}

export function canBeAsked(client: ClientPort | undefined): client is ClientPort {
  return client?.capabilities['elicitation'] !== undefined;
}

/** Why a client is not asked about a call: a question could not show all of it. */
export function whyNotAsked(wait: ApprovalWait): string | undefined {
  if (wait.isPartial === true && (wait.preview === undefined || wait.isPreviewCut)) {
    return 'its arguments are too long to be shown whole in a question';
  }
  const { length } = shownCall(wait);
  return length > maxShownChars
    ? `its call has ${length} characters, and a question shows at most ${maxShownChars}`
    : undefined;
}

/** The question for a person, with the exact call; undefined when it is too long to be read. */
export function approvalQuestion(runId: string, wait: ApprovalWait): ClientRequest | undefined {
  if (whyNotAsked(wait) !== undefined) return undefined;
  const lead = wait.preview === undefined ? ' with:' : ':';
  const call =
    wait.tool === null ? [] : [`It would call ${escapeLine(wait.tool)}${lead}`, shownCall(wait)];
  return {
    method: 'elicitation/create',
    params: {
      message: [
        `Step "${escapeLine(wait.step)}" of run ${runId} asks for approval.`,
        // Without a question of the plan's own, the line above says the same.
        ...(wait.message === `Step "${wait.step}" waits for approval`
          ? []
          : [escapeUnseen(wait.message)]),
        ...call,
      ].join('\n'),
      requestedSchema: {
        type: 'object',
        properties: {
          approve: { type: 'boolean', title: 'Approve', default: false },
          reason: { type: 'string', title: 'Reason' },
        },
        required: ['approve'],
      },
    },
  };
}

/** A preview shows what the arguments do, which says more than they do themselves; where it is cut, they are shown too. */
function shownCall({ preview, isPreviewCut, arguments: args }: ApprovalWait): string {
  const whole = [
    ...(preview === undefined ? [] : [preview]),
    ...(preview === undefined || isPreviewCut ? [JSON.stringify(args, null, 2)] : []),
  ];
  return escapeUnseen(whole.join('\n'));
}

/** Asks the person at the client. Undefined without a decision: the question was closed, or did not reach them. */
export async function askApproval(
  runId: string,
  wait: ApprovalWait,
  { client, signal }: Pick<CallContext, 'client' | 'signal'>,
): Promise<Verdict | undefined> {
  const question = approvalQuestion(runId, wait);
  if (!question || !canBeAsked(client)) return undefined;
  try {
    return readVerdict(await client.ask(question, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** What the answer to such a question says. */
export function readVerdict(answer: Readonly<Record<string, unknown>>): Verdict | undefined {
  const { approve, reason }: { approve?: unknown; reason?: unknown } = Object(answer['content']);
  const because = typeof reason === 'string' && reason !== '' ? { reason } : {};
  if (answer['action'] === 'decline') return { verdict: 'denied', ...because };
  if (answer['action'] !== 'accept') return undefined;
  return { verdict: approve === true ? 'approved' : 'denied', ...because };
}
