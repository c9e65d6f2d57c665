import type { PreviewEffect } from '../contract/tool/index.ts';
import type { ServerEntry } from '../fleet/index.ts';
import { createFaultPoints } from '../kernel/index.ts';
import type { WorkspaceServer } from '../toolbox/workspace/index.ts';
import { offerKey } from './offer-key.ts';
import type { ToolboxOptions } from './toolbox.ts';

/** The server for the user's own project, loaded when it is first used. */
export interface WorkspaceHere {
  readonly entry: ServerEntry;
  /** Shows what a call would change. Only our own server is asked: another could act on the question. */
  readonly preview: PreviewEffect;
}

type Options = Pick<ToolboxOptions, 'settings' | 'version' | 'log' | 'request'>;

const name = 'workspace';

export function workspaceHere({ settings, version, log, request }: Options): WorkspaceHere {
  const open = async (): Promise<WorkspaceServer> => {
    const { createWorkspaceServer } = await import('../toolbox/workspace/index.ts');
    const { roots, home } = settings;
    const faultPoint = createFaultPoints(request.env['TUTTI_FAULT']);
    return createWorkspaceServer({
      version,
      roots,
      home,
      faultPoint,
      log: log.child({ server: name }),
    });
  };
  let previewing: Promise<WorkspaceServer> | undefined;
  return {
    entry: { name, cacheKey: offerKey(import.meta.url, [version]), open },
    preview: async ({ server, tool, args }, signal) => {
      if (server !== name) return undefined;
      return (await (previewing ??= open())).preview(tool, args, { signal });
    },
  };
}
