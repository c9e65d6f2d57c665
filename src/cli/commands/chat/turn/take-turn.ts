import type { AskOutcome, AskRequest } from '../../../../contract/agent/index.ts';
import { localCaller } from '../../../../contract/caller/index.ts';
import type { Io } from '../../../io.ts';
import type { Output } from '../../../output.ts';
import type { System } from '../../../system.ts';
import { describePreview } from './describe-plan.ts';
import { outcomeExitCode } from './outcome-exit-code.ts';
import { nextRequest } from './next-request.ts';
import type { ShownEffect } from './shown-effect.ts';
import { createTurnScreen } from './turn-screen.ts';

/** A message as the person gave it. */
export type Turn = Omit<AskRequest, 'caller'>;

export interface TurnParts {
  readonly system: Pick<System, 'agent' | 'workflows' | 'memory' | 'preview'>;
  readonly io: Io;
  readonly output: Output;
  /** Cancels the run of this turn. */
  readonly signal: AbortSignal;
  /**
   * Puts a question to the person who is there and gives the line they answer; undefined when they
   * leave it open. Absent when nobody is there: what waits is left waiting.
   */
  readonly ask?: (question: string) => Promise<string | undefined>;
  /** Whether the agent's questions are asked right here; in a chat the next message answers them. */
  readonly asksBack: boolean;
  /** What the last question was left for: another line, which is taken next. A command comes back to the question. */
  readonly leftFor?: () => 'command' | 'request' | undefined;
  /** Told as soon as it is known, so that it is even when the turn fails. */
  readonly onSession?: (sessionId: string) => void;
}

export interface TurnEnd {
  readonly outcome: AskOutcome;
  readonly exitCode: number;
}

/** A person who answers more often than this in one turn has a conversation, and should begin one. */
const maxRounds = 50;

/**
 * Puts a message to the agent, shows what comes of it while it comes, and settles right here what the
 * person at the terminal can settle: a preview, a question, an approval.
 */
export async function takeTurn(turn: Turn, parts: TurnParts): Promise<TurnEnd> {
  const outcome = await askAgent(turn, parts);
  if (turn.planOnly === true) return { outcome, exitCode: outcomeExitCode(outcome, true) };
  return settleOutcome(outcome, parts);
}

/** Asks the person what there is to ask about an outcome, as long as there is something. */
export async function settleOutcome(first: AskOutcome, parts: TurnParts): Promise<TurnEnd> {
  let outcome = first;
  let approved: ShownEffect | undefined;
  for (let round = 1; round < maxRounds; round += 1) {
    const next = await nextRequest(outcome, parts, approved);
    if (!next) break;
    approved = next.approved;
    outcome = await askAgent(next.turn, parts);
  }
  return { outcome, exitCode: outcomeExitCode(outcome, false) };
}

async function askAgent(turn: Turn, parts: TurnParts): Promise<AskOutcome> {
  const { system, io, output, signal, onSession } = parts;
  const screen = createTurnScreen(io, output);
  try {
    const outcome = await system.agent.ask(
      { ...turn, caller: localCaller },
      {
        signal,
        onEvent: (event) => {
          if (event.kind === 'session') onSession?.(event.sessionId);
          screen.onEvent(event);
        },
      },
    );
    if (outcome.kind === 'answer') {
      screen.showAnswer(outcome.answer, outcome.model === null ? 'verbatim' : 'markdown');
    }
    screen.leave();
    await showOutcome(outcome, parts);
    return outcome;
  } finally {
    screen.leave();
  }
}

/** All of it with `--json`; else what has not been streamed. */
async function showOutcome(outcome: AskOutcome, parts: TurnParts): Promise<void> {
  const text = parts.output.isJson ? '' : await outcomeText(outcome, parts);
  parts.output.result(outcome, () => text);
}

async function outcomeText(
  outcome: AskOutcome,
  { system, output, ask }: TurnParts,
): Promise<string> {
  switch (outcome.kind) {
    case 'plan': {
      const { workflows } = system;
      return describePreview(outcome, {
        workflows,
        paint: output.paint,
        isAsked: ask !== undefined,
      });
    }
    case 'question':
      // What the run waits for is asked about right here, with all that is known of it.
      if (outcome.runId !== undefined && ask) return '';
      return outcome.questions.join('\n');
    case 'refusal':
      return outcome.reason;
    case 'answer':
      return '';
  }
}
