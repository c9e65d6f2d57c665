export { CallCounter } from './delegate/budget.ts';
export type {
  AgentTally,
  DelegationChange,
  DelegationPlace,
  DelegationRow,
  DelegationStore,
  Usage,
  UsageRequest,
} from './delegate/delegation-store.ts';
export type { LoopRequest, ModelLoop } from './delegate/run-attempt.ts';
export type { TraceAttempt } from './delegate/try-agent.ts';
export type { AgentChecks } from './definition/check-agent.ts';
export { type AgentFile, readAgentFile } from './definition/read-agent-file.ts';
export { createAgents } from './create-agents.ts';
export { createAgentChoice, type AgentChoice } from './create-agent-choice.ts';
export type { ChoiceEntry, ChoiceLog } from './choice/choice-log.ts';
