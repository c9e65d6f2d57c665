export { followRun } from './follow-run.ts';
export { createWorkflowServer } from './workflow-server.ts';
