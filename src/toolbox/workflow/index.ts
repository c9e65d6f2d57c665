export { createWorkflowServer } from './workflow-server.ts';
