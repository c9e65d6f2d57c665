import type { Feedback } from '../contract/feedback/index.ts';
import type { McpServer } from '../contract/server/index.ts';
import type { PreviewEffect } from '../contract/tool/index.ts';
import type { ServerEntry } from '../fleet/index.ts';
import { createFaultPoints } from '../kernel/index.ts';
import type { UndoableChange, WorkspaceServer } from '../toolbox/workspace/index.ts';
import { noticeUndo } from './feedback.ts';
import { offerKey } from './offer-key.ts';
import { openRooted } from './rooted-server.ts';
import type { ToolboxOptions } from './toolbox.ts';

/** The server for the user's own project, loaded when it is first used. */
interface WorkspaceHere {
  readonly entry: ServerEntry;
  /** Shows what a call would change. Only our own server is asked: another could act on the question. */
  readonly preview: PreviewEffect;
  /** The changes of the project that can be undone, latest first. */
  readonly changes: () => Promise<readonly UndoableChange[]>;
}

type Options = Pick<ToolboxOptions, 'settings' | 'version' | 'log' | 'request' | 'roots'> & {
  /** Changes that are undone were not wanted. */
  readonly feedback: () => Feedback;
};

const name = 'workspace';

export function workspaceHere(options: Options): WorkspaceHere {
  const { settings, version, log, request, roots } = options;
  const open = async (folders: readonly string[]): Promise<WorkspaceServer> => {
    const { createWorkspaceServer } = await import('../toolbox/workspace/index.ts');
    const { home } = settings;
    const faultPoint = createFaultPoints(request.env['TUTTI_FAULT']);
    const own = { version, home, faultPoint, log: log.child({ server: name }) };
    return createWorkspaceServer({ ...own, roots: folders });
  };
  let opened: { folders: readonly string[]; server: Promise<WorkspaceServer> } | undefined;
  const own = async (): Promise<WorkspaceServer> => {
    const folders = await roots.current();
    if (opened?.folders !== folders) opened = { folders, server: open(folders) };
    return opened.server;
  };
  return {
    entry: {
      name,
      cacheKey: offerKey(import.meta.url, [version]),
      open: () => openRooted(roots, async (folders) => telling(await open(folders), options)),
    },
    preview: async ({ server, tool, args }, signal) => {
      if (server !== name) return undefined;
      return (await own()).preview(tool, args, { signal });
    },
    changes: async () => (await own()).changes(),
  };
}

function telling(
  server: WorkspaceServer,
  { feedback, log }: Pick<Options, 'feedback' | 'log'>,
): McpServer {
  return {
    ...server,
    callTool: async (tool, args, context) => {
      const result = await server.callTool(tool, args, context);
      const changeId = result.structuredContent?.['undoes'];
      if (result.isError !== true && typeof changeId === 'string') {
        await noticeUndo({ feedback: feedback(), log }, context.caller, changeId);
      }
      return result;
    },
  };
}
