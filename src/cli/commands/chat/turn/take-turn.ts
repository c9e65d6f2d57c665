import type { AskOutcome, AskRequest } from '../../../../contract/agent/index.ts';
import { localCaller } from '../../../../contract/caller/index.ts';
import type { Workflows } from '../../../../contract/run/index.ts';
import type { Io } from '../../../io.ts';
import type { Output, Paint } from '../../../output.ts';
import type { System } from '../../../../compose/index.ts';
import { exitCodes } from '../../runs/run-result.ts';
import { nextRequest, type ShownEffect } from './next-request.ts';
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
   * Asks the user and returns the line they type; undefined when they leave the question open. Absent without a
   * terminal: pending questions stay pending.
   */
  readonly ask?: (question: string) => Promise<string | undefined>;
  /** Whether the agent's questions are asked right here; in a chat the next message answers them. */
  readonly asksBack: boolean;
  /** What the last question was left for: another line, which is taken next. A command comes back to the question. */
  readonly leftFor?: () => 'command' | 'request' | undefined;
  /** Called as soon as the session is known, so also when the turn fails later. */
  readonly onSession?: (sessionId: string) => void;
}

export interface TurnEnd {
  readonly outcome: AskOutcome;
  readonly exitCode: number;
}

/** More answers than this in one turn belong into a chat. */
const maxRounds = 50;

/**
 * Sends a message to the agent, streams its outcome, and settles right here what the
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

export type PlanOutcome = Extract<AskOutcome, { readonly kind: 'plan' }>;

interface PreviewParts {
  readonly workflows: Workflows;
  readonly paint: Paint;
  /** The terminal asks by itself. */
  readonly isAsked: boolean;
}

/** A plan that waits: how its steps hang together, where they do, and what they would do. */
async function describePreview(
  { plan, preview, confidence }: PlanOutcome,
  { workflows, paint, isAsked }: PreviewParts,
): Promise<string> {
  const drawing = plan.steps.length > 1 ? await workflows.draw(plan, 'text') : '';
  const text = isAsked ? withoutQuestion(preview) : preview;
  const sureness = isAsked ? paint.dim(`confidence ${Math.round(confidence * 100)} %`) : '';
  const parts = [drawing.trimEnd(), text.trimEnd(), sureness];
  return parts.filter((part) => part !== '').join('\n');
}

/** The last line asks what the terminal asks by itself. */
function withoutQuestion(preview: string): string {
  const lines = preview.trimEnd().split('\n');
  return (lines.at(-1)?.startsWith('Run it?') ? lines.slice(0, -1) : lines).join('\n');
}

const exitDone = 0;
const exitRefused = 3;
const exitWaiting = 4;

/** The exit code for the outcome of a message. */
function outcomeExitCode(outcome: AskOutcome, isPlanOnly: boolean): number {
  switch (outcome.kind) {
    case 'plan':
      return isPlanOnly ? exitDone : exitWaiting;
    case 'question':
      return exitWaiting;
    case 'refusal':
      return exitRefused;
    case 'answer':
      return outcome.runStatus === undefined ? exitDone : exitCodes[outcome.runStatus];
  }
}
