import type { Waiting } from '../../contract/run/index.ts';
import type { CallContext, ClientPort, ClientRequest } from '../../contract/server/index.ts';
import { AppError } from '../../kernel/index.ts';

export type ApprovalWait = Extract<Waiting, { kind: 'approval' }>;

/** The question shows all of it; longer calls are not asked about here. */
const maxShownChars = 20_000;

/** What a person said; undefined when they said nothing. */
export interface Verdict {
  readonly verdict: 'approved' | 'denied';
  readonly reason?: string;
}

export function canBeAsked(client: ClientPort | undefined): client is ClientPort {
  return client?.capabilities['elicitation'] !== undefined;
}

/** The question for a person, with the exact call; undefined when it is too long to be read. */
export function approvalQuestion(runId: string, wait: ApprovalWait): ClientRequest | undefined {
  // A preview shows what the arguments do, which says more than they do themselves.
  const shown = wait.preview === undefined ? plainJson(wait.arguments) : plain(wait.preview);
  const isWhole = wait.preview !== undefined || wait.isPartial !== true;
  if (!isWhole || shown.length > maxShownChars) return undefined;
  const lead = wait.preview === undefined ? ' with:' : ':';
  const call = wait.tool === null ? [] : [`It would call ${wait.tool}${lead}`, shown];
  return {
    method: 'elicitation/create',
    params: {
      message: [
        `Step "${wait.step}" of run ${runId} asks for approval.`,
        // Without a question of the plan's own, the line above says the same.
        ...(wait.message === `Step "${wait.step}" waits for approval` ? [] : [plain(wait.message)]),
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

function plainJson(value: unknown): string {
  return plain(JSON.stringify(value, null, 2) ?? 'null');
}

/** Marks characters that are invisible or turn text around: they could hide what is approved. */
function plain(text: string): string {
  return text.replaceAll(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => String.raw`\u` + character.charCodeAt(0).toString(16).padStart(4, '0'),
  );
}
