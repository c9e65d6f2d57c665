import { reportFailure } from '../../report-failure.ts';
import { attachMentions, placeOf } from './attachments.ts';
import { chatTurn, settleAgain, type Chat } from './chat.ts';
import { TurnCancelled } from './input/chat-input.ts';
import { runCommand } from './slash/slash-actions.ts';
import { findCommand } from './slash/slash-table.ts';
import type { Turn } from './turn/take-turn.ts';

const exitCancelled = 130;

/**
 * Takes message after message until the input ends or the user leaves. Errors are reported and the chat goes on.
 * Returns the exit code: that of the last message in a pipe, 0 at a terminal.
 */
export async function converse(chat: Chat, first?: string): Promise<number> {
  const { invocation, input } = chat;
  const { signal } = invocation.io;
  let exitCode = 0;
  let message = first;
  let isAtQuestion = false;
  while (!signal.aborted) {
    message ??= await nextMessage(chat);
    if (message === undefined) break;
    const said = message;
    message = undefined;
    const isCommand = findCommand(said) !== undefined;
    const open = chat.state.last;
    const end = await attempt(chat, () => handle(chat, said));
    if (end === 'exit') break;
    exitCode = end;
    // A command typed at a question does not answer it.
    if (isCommand && isAtQuestion && open && open === chat.state.last) {
      exitCode = (await attempt(chat, () => settleAgain(chat, open))) as number;
    }
    message = chat.state.nextLine;
    isAtQuestion = message !== undefined;
    chat.state.nextLine = undefined;
  }
  if (input.isInterrupted || signal.aborted) return exitCancelled;
  return input.ask ? 0 : exitCode;
}

/** A message that is too long is reported, and the next one taken. */
async function nextMessage(chat: Chat): Promise<string | undefined> {
  let message: string | undefined;
  await attempt(chat, async () => {
    message = await chat.input.next();
    return 0;
  });
  return message;
}

async function attempt(
  { invocation }: Chat,
  work: () => Promise<number | 'exit'>,
): Promise<number | 'exit'> {
  const { io, options, output } = invocation;
  try {
    return await work();
  } catch (error) {
    if (io.signal.aborted || error instanceof TurnCancelled) {
      output.note('Cancelled');
      return exitCancelled;
    }
    return reportFailure(error, { io, isJson: false, isDebug: options['debug'] === true });
  }
}

async function handle(chat: Chat, message: string): Promise<number | 'exit'> {
  const command = findCommand(message);
  return command ? runCommand(chat, command) : chatTurn(chat, await nextTurn(chat, message));
}

/** The message, with the files it mentions and those given along before. */
async function nextTurn({ invocation, system, state }: Chat, text: string): Promise<Turn> {
  const { session } = state;
  const { message, attachments } = await attachMentions(text, placeOf(system, invocation.io));
  const given = [...state.attachments, ...attachments];
  state.attachments = [];
  return {
    message,
    ...(session !== undefined && { session }),
    ...(given.length > 0 && { attachments: given }),
  };
}
