import type { McpServer } from '../../contract/server/index.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import { gitBlameTool } from './git/git-blame-tool.ts';
import { gitDiffTool } from './git/git-diff-tool.ts';
import { gitLogTool } from './git/git-log-tool.ts';
import { gitStatusTool } from './git/git-status-tool.ts';
import { listFilesTool } from './list-files-tool.ts';
import { ProjectFiles } from './project-files.ts';
import { readFileTool } from './read-file-tool.ts';
import { searchTextTool } from './search-text-tool.ts';

export interface WorkspaceServerOptions {
  readonly version: string;
  readonly roots: readonly string[];
  /** Tutti's data directory. */
  readonly home: string;
}

/** The server `workspace`: the files and the Git history of the user's project. */
export function createWorkspaceServer({ version, roots, home }: WorkspaceServerOptions): McpServer {
  const files = new ProjectFiles({ roots, ownFolders: [home] });
  return createToolboxServer({
    name: 'workspace',
    title: 'Your project',
    version,
    instructions:
      'Files of the user’s project: read_file, list_files and search_text look; git_status, git_diff, git_log and git_blame tell its history.',
    tools: [
      readFileTool(files),
      listFilesTool(files),
      searchTextTool(files),
      gitStatusTool(files),
      gitDiffTool(files),
      gitLogTool(files),
      gitBlameTool(files),
    ],
  });
}
