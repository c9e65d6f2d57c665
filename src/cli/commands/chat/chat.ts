import type { AskOutcome, Attachment } from '../../../contract/agent/index.ts';
import type { Plan } from '../../../contract/plan/index.ts';
import type { Invocation } from '../../invocation.ts';
import type { System } from '../../system.ts';
import type { ChatInput } from './input/chat-input.ts';
import { takeTurn, type Turn } from './turn/take-turn.ts';

/** What a conversation at a terminal or in a pipe is about right now. */
export interface ChatState {
  /** The session that the next message belongs to; a new one when there is none. */
  session: string | undefined;
  /** Goes along with the next message. */
  attachments: Attachment[];
  last: AskOutcome | undefined;
}

export interface Chat {
  readonly invocation: Invocation;
  readonly system: System;
  readonly input: ChatInput;
  readonly state: ChatState;
}

/** Takes a turn in the chat's session and remembers what came of it. Says the exit code it stands for. */
export async function chatTurn(chat: Chat, turn: Turn): Promise<number> {
  const { invocation, system, input, state } = chat;
  const { io, output } = invocation;
  return input.during(async (signal) => {
    const { outcome, exitCode } = await takeTurn(turn, {
      system,
      io,
      output,
      signal,
      asksBack: false,
      onSession: (session) => {
        state.session = session;
      },
      ...(input.ask && { ask: input.ask }),
    });
    state.session = outcome.sessionId;
    state.last = outcome;
    return exitCode;
  });
}

/** The plan that was made last. */
export function lastPlan({ last }: ChatState): Plan | undefined {
  if (last?.kind === 'plan') return last.plan;
  return last?.kind === 'answer' ? last.plan : undefined;
}
