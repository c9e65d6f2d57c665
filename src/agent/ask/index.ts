export type { AgentParts, AgentSettings, FollowRun } from './agent-parts.ts';
export { createAgent } from './create-agent.ts';
