export { createAgentServer, type AgentServerParts } from './agent-server.ts';
