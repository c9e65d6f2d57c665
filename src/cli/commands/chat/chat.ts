import type { AskOutcome, Attachment } from '../../../contract/agent/index.ts';
import type { Plan } from '../../../contract/plan/index.ts';
import { readChoice, readShortReply } from '../../../kernel/index.ts';
import type { Invocation } from '../../invocation.ts';
import type { System } from '../../../compose/index.ts';
import type { ChatInput } from './input/chat-input.ts';
import { asksForAll } from '../runs/approvals.ts';
import { findCommand, type Slash } from './slash/slash-table.ts';
import {
  settleOutcome,
  takeTurn,
  type Turn,
  type TurnEnd,
  type TurnParts,
} from './turn/take-turn.ts';

/** What a conversation at a terminal or in a pipe is about right now. */
interface ChatState {
  /** The session that the next message belongs to; a new one when there is none. */
  session: string | undefined;
  /** Goes along with the next message. */
  attachments: Attachment[];
  last: AskOutcome | undefined;
  /** A line typed at a question that does not answer it: the next message or command. */
  nextLine: string | undefined;
}

export interface Chat {
  readonly invocation: Invocation;
  readonly system: System;
  readonly input: ChatInput;
  readonly state: ChatState;
}

export type RunSlash = (chat: Chat, slash: Slash) => Promise<number | 'exit'>;

/** Takes a turn in the chat's session and stores its outcome. Returns the exit code. */
export function chatTurn(chat: Chat, turn: Turn): Promise<number> {
  return during(chat, (parts) => takeTurn(turn, parts));
}

/** Asks once more what was left open for a command. */
export function settleAgain(chat: Chat, outcome: AskOutcome): Promise<number> {
  return during(chat, (parts) => settleOutcome(outcome, parts));
}

function during(chat: Chat, work: (parts: TurnParts) => Promise<TurnEnd>): Promise<number> {
  const { invocation, system, input, state } = chat;
  const { io, output } = invocation;
  const { ask } = input;
  return input.during(async (signal) => {
    const { outcome, exitCode } = await work({
      system,
      io,
      output,
      signal,
      asksBack: false,
      onSession: (session) => {
        state.session = session;
      },
      leftFor: () => leftFor(state),
      ...(ask && { ask: (question: string) => askShortly(ask, question, state) }),
    });
    state.session = outcome.sessionId;
    state.last = outcome;
    return exitCode;
  });
}

function leftFor({ nextLine }: ChatState): 'command' | 'request' | undefined {
  if (nextLine === undefined) return undefined;
  return findCommand(nextLine) ? 'command' : 'request';
}

/** An answer, if it is one to a question; anything else is left for the chat, which takes it as if typed at its prompt. */
async function askShortly(
  ask: NonNullable<ChatInput['ask']>,
  question: string,
  state: ChatState,
): Promise<string | undefined> {
  const line = await ask(question);
  if (line === undefined || line.trim() === '') return line;
  const isAnswer =
    asksForAll(line, question) || (readShortReply(line) ?? readChoice(line)) !== undefined;
  if (isAnswer) return line;
  state.nextLine = line;
  return undefined;
}

/** The plan that was made last. */
export function lastPlan({ last }: ChatState): Plan | undefined {
  if (last?.kind === 'plan') return last.plan;
  return last?.kind === 'answer' ? last.plan : undefined;
}
