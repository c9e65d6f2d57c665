export { createWorkspaceServer } from './workspace-server.ts';
