export {
  createWorkspaceServer,
  type UndoableChange,
  type WorkspaceServer,
} from './workspace-server.ts';
