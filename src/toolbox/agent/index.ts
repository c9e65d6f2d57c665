export { createAgentServer } from './agent-server.ts';
