import type { AgentSettings } from '../agent/ask/index.ts';
import type { Settings } from '../config/index.ts';

/** The settings that the agent goes by. */
export function agentSettings({
  planning,
  clarification,
  agent,
  conversation,
}: Settings): AgentSettings {
  return {
    maxSteps: planning.max_steps,
    optimizeChains: planning.optimize_chains,
    preview: planning.preview,
    approval: planning.approval,
    clarification: {
      enabled: clarification.enabled,
      maxQuestions: clarification.max_questions,
      confidenceThreshold: clarification.confidence_threshold,
      askWhenAmbiguous: clarification.ask_when_ambiguous,
    },
    limits: {
      maxRounds: agent.max_rounds,
      maxCalls: agent.max_calls,
      maxMinutes: agent.max_minutes,
    },
    contextTokens: conversation.context_window,
    contextTurns: conversation.memory_size,
  };
}
