import type { Agent, AgentEvent, AskOutcome, AskRequest } from '../../src/contract/agent/index.ts';
import type { Plan } from '../../src/contract/plan/index.ts';

/** What a fake agent does with a message: tells events, then gives the outcome or fails. */
export interface Scene {
  readonly events?: readonly AgentEvent[];
  /** Waits after the events until the turn is cancelled. */
  readonly isEndless?: boolean;
  /** Waits for ever, cancelled or not. */
  readonly isDeaf?: boolean;
  readonly outcome?: AskOutcome;
  readonly error?: Error;
}

export const aPlan: Plan = { version: 1, steps: [{ id: 'one', tool: 'fake.echo_all' }] };
const base = { sessionId: 'session-1', confidence: 0.9, model: null };

export const anAnswer = (answer: string): AskOutcome => ({ ...base, kind: 'answer', answer });
export const aPreview: Extract<AskOutcome, { kind: 'plan' }> = {
  ...base,
  kind: 'plan',
  plan: aPlan,
  candidates: [{ plan: aPlan, why: '', confidence: 0.9 }],
  preview: 'It would echo.',
  madeBy: 'planner',
};
export const aQuestion: Extract<AskOutcome, { kind: 'question' }> = {
  ...base,
  kind: 'question',
  questions: ['Which language?', 'Which style?'],
  candidates: [],
};
/** A run that waits for somebody; which run, the fake workflows know. */
export const aWaitingRun: AskOutcome = {
  ...aQuestion,
  questions: ['It needs your approval'],
  runId: 'run-1',
};
export const aRefusal: AskOutcome = { ...base, kind: 'refusal', reason: 'No tool does that.' };

/** Plays the scenes one after the other, the last again and again; without any it echoes. */
export function createFakeAgent(scenes: readonly Scene[] = []): {
  readonly agent: Agent;
  readonly requests: Omit<AskRequest, 'caller'>[];
} {
  const requests: Omit<AskRequest, 'caller'>[] = [];
  const agent: Agent = {
    ask: async ({ caller: _caller, ...request }, { signal, onEvent }) => {
      signal.throwIfAborted();
      const scene = scenes[Math.min(requests.length, scenes.length - 1)];
      requests.push(request);
      for (const event of scene?.events ?? []) onEvent?.(event);
      if (scene?.isEndless === true) await untilAborted(signal);
      if (scene?.isDeaf === true) await new Promise(() => {});
      if (scene?.error) throw scene.error;
      return scene?.outcome ?? anAnswer(`You said: ${request.message}`);
    },
  };
  return { agent, requests };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
