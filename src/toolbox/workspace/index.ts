export { createWorkspaceServer, type WorkspaceServer } from './workspace-server.ts';
