import type { Attachment } from '../../contract/agent/index.ts';
import type { Session } from '../../contract/session/index.ts';
import { askLine, isAtTerminal } from '../ask-line.ts';
import { UsageError } from '../errors.ts';
import { findSession } from '../find-session.ts';
import { inFolderOf } from '../in-folder.ts';
import { type Invocation, textOption, textsOf } from '../invocation.ts';
import { offerModels } from '../offer-models.ts';
import { readInput } from '../read-input.ts';
import type { System } from '../../compose/index.ts';
import { attachMentions, placeOf, readAttachment, textAttachment } from './chat/attachments.ts';
import { findCommand } from './chat/slash/slash-table.ts';
import { takeTurn, type Turn } from './chat/turn/take-turn.ts';

/** `tutti ask`: one message and its outcome. */
export async function run(invocation: Invocation): Promise<number> {
  const { io, output } = invocation;
  // Read before the system opens, so that a mistake here costs nothing.
  const message = await readMessage(invocation);
  const wanted = textOption(invocation, 'session');
  const find = async (system: System): Promise<Partial<Session>> =>
    wanted === undefined ? {} : findSession(invocation, system, wanted);
  return inFolderOf(invocation, find, async (system, session) => {
    const turn = await readTurn(invocation, system, { text: message, session: session.id });
    const mayAsk = !output.isJson && isAtTerminal(io);
    await offerModels(system, output, mayAsk ? (question) => askLine(io, question) : undefined);
    const { exitCode } = await takeTurn(turn, {
      system,
      io,
      output,
      signal: io.signal,
      asksBack: true,
      ...(mayAsk && { ask: (question: string) => askOnce(question, invocation) }),
    });
    return exitCode;
  });
}

/** Commands are for the chat: here they would be taken for an answer. */
async function askOnce(question: string, { io, output }: Invocation): Promise<string | undefined> {
  for (;;) {
    const answer = await askLine(io, question);
    if (answer === undefined || !findCommand(answer)) return answer;
    output.note('Commands such as /help work in "tutti chat".');
  }
}

async function readMessage({ io, operands, options }: Invocation): Promise<string> {
  const [word, ...more] = operands;
  const isFromInput = word === undefined || word === '-';
  if (isFromInput && more.length > 0) {
    throw new UsageError('The message is either an operand or on standard input, not both');
  }
  if (isFromInput && textsOf(options['attach']).includes('-')) {
    throw new UsageError('Standard input can be the message or an attachment, not both');
  }
  if (isFromInput && 'isTTY' in io.stdin && io.stdin.isTTY === true && word === undefined) {
    throw new UsageError('No message was given: tutti ask "…"; "tutti chat" starts a conversation');
  }
  const message = isFromInput ? await readInput('-', io) : operands.join(' ');
  if (message.trim() === '') throw new UsageError('The message is empty');
  return message.trim();
}

async function readTurn(
  invocation: Invocation,
  system: System,
  { text, session }: { readonly text: string; readonly session: string | undefined },
): Promise<Turn> {
  const { io, options } = invocation;
  const place = placeOf(system, io);
  const mentioned = await attachMentions(text, place);
  const attachments: Attachment[] = [];
  for (const path of textsOf(options['attach'])) {
    attachments.push(
      path === '-'
        ? textAttachment('standard input', Buffer.from(await readInput('-', io)))
        : await readAttachment(path, place),
    );
  }
  attachments.push(...mentioned.attachments);
  const context = textOption(invocation, 'context');
  return {
    message: mentioned.message,
    ...(session !== undefined && { session }),
    ...(context !== undefined && { context }),
    ...(attachments.length > 0 && { attachments }),
    ...(options['planOnly'] === true && { planOnly: true }),
    ...(options['yes'] === true && { acceptPreview: true }),
  };
}
