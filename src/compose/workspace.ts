import type { ServerEntry } from '../fleet/index.ts';
import { createFaultPoints } from '../kernel/index.ts';
import { offerKey } from './offer-key.ts';
import type { ToolboxOptions } from './toolbox.ts';

/** The server for the user's own project. */
export function workspaceServer({
  settings,
  version,
  log,
  request,
}: Pick<ToolboxOptions, 'settings' | 'version' | 'log' | 'request'>): ServerEntry {
  return {
    name: 'workspace',
    cacheKey: offerKey(import.meta.url, [version]),
    open: async () => {
      const { createWorkspaceServer } = await import('../toolbox/workspace/index.ts');
      const { roots, home } = settings;
      const faultPoint = createFaultPoints(request.env['TUTTI_FAULT']);
      const own = { version, roots, home, faultPoint, log: log.child({ server: 'workspace' }) };
      return createWorkspaceServer(own);
    },
  };
}
