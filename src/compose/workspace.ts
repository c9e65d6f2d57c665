import type { ServerEntry } from '../fleet/index.ts';
import { offerKey } from './offer-key.ts';
import type { ToolboxOptions } from './toolbox.ts';

/** The server for the user's own project. */
export function workspaceServer({
  settings,
  version,
}: Pick<ToolboxOptions, 'settings' | 'version'>): ServerEntry {
  return {
    name: 'workspace',
    cacheKey: offerKey(import.meta.url, [version]),
    open: async () => {
      const { createWorkspaceServer } = await import('../toolbox/workspace/index.ts');
      const { roots, home } = settings;
      return createWorkspaceServer({ version, roots, home });
    },
  };
}
