import { join } from 'node:path';
import type { CallContext, McpServer } from '../../contract/server/index.ts';
import type { EffectPreview } from '../../contract/tool/index.ts';
import { AppError, noFaults, systemClock, type FaultPoint, type Log } from '../../kernel/index.ts';
import type { DefinedTool } from '../define-tool.ts';
import { createToolboxServer } from '../toolbox-server.ts';
import { applyChangesTool, replaceTextTool, undoChangesTool } from './change-tools.ts';
import { ChangeJournal, describeChange } from './change/change-journal.ts';
import type { EffectTool } from '../effect-tool.ts';
import { gitBlameTool } from './git/git-blame-tool.ts';
import { gitCommitTool } from './git/git-commit-tool.ts';
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
  readonly log: Log;
  readonly faultPoint?: FaultPoint;
}

export interface WorkspaceServer extends McpServer {
  /** What a call would do, undefined for tools that change nothing. Throws what the call would throw. */
  preview(
    tool: string,
    args: unknown,
    context: Pick<CallContext, 'signal'>,
  ): Promise<EffectPreview | undefined>;
  /** The changes of this project that can be undone, latest first. */
  changes(): Promise<readonly UndoableChange[]>;
}

export interface UndoableChange {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  /** What it did, in a few words. */
  readonly what: string;
  readonly files: readonly { readonly path: string; readonly action: string }[];
}

/** Changes that are searched for the one that a message names. */
const maxListed = 50;

/** The server `workspace`: the files and the Git history of the user's project. */
export function createWorkspaceServer(options: WorkspaceServerOptions): WorkspaceServer {
  const { version, roots, home, log, faultPoint = noFaults } = options;
  const files = new ProjectFiles({ roots, ownFolders: [home] });
  const folder = join(home, 'workspace');
  const journal = new ChangeJournal({ files, folder, log, clock: systemClock, faultPoint });
  const effects: EffectTool[] = [
    applyChangesTool(files, journal),
    replaceTextTool(files, journal),
    undoChangesTool(journal),
    gitCommitTool({ files, folder }),
  ];
  const server = createToolboxServer({
    name: 'workspace',
    title: 'Your project',
    version,
    instructions:
      'The user’s project: read_file, list_files and search_text read it; apply_changes writes files, replace_text replaces a text everywhere, and undo_changes takes that back; ' +
      'git_status, git_diff, git_log and git_blame tell its history, git_commit adds to it.',
    tools: [...readTools(files), ...effects],
  });
  return {
    ...server,
    async callTool(name, args, context) {
      await recoverIfPossible(journal, context.signal);
      return server.callTool(name, args, context);
    },
    preview: async (name, args, context) =>
      effects.find((tool) => tool.name === name)?.preview(args, context),
    changes: async () => {
      const records = await journal.listUndoable(maxListed);
      return records.map((record) => ({
        id: record.id,
        at: new Date(record.atMs).toISOString(),
        what: describeChange(record),
        files: record.files.map(({ path, action }) => ({ path, action })),
      }));
    },
  };
}

function readTools(files: ProjectFiles): DefinedTool[] {
  return [
    readFileTool(files),
    listFilesTool(files),
    searchTextTool(files),
    gitStatusTool(files),
    gitDiffTool(files),
    gitLogTool(files),
    gitBlameTool(files),
  ];
}

/** Reading works while another process changes files for long. */
async function recoverIfPossible(journal: ChangeJournal, signal: AbortSignal): Promise<void> {
  try {
    await journal.recover(signal);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}
