import type { Settings } from '../config/index.ts';
import { type Catalogue, shortListAbove } from '../contract/catalogue/index.ts';
import { compactCatalogue, type OpenFleet } from '../fleet/index.ts';

/** What clients see: every tool, a few that find and call the others, or what their number asks for. */
export type Face = 'compact' | 'all' | 'auto';

const finders = ['admin.find_tools', 'admin.call_tool'];
const alsoShown = ['admin.list_tools', 'agent.ask'];

/** The catalogue as clients of each face see it. */
export interface FaceCatalogues {
  readonly stdioCatalogue: Catalogue;
  readonly httpCatalogue: Catalogue;
}

/** `auto` leaves it to the setting `server.compact`. Over HTTP every tool is shown unless something asks for fewer. */
export function chooseFace(
  { catalogue, unlistedServers }: Pick<OpenFleet, 'catalogue' | 'unlistedServers'>,
  settings: Settings,
  wanted: Face,
): FaceCatalogues {
  const { compact, pinned_tools: pinnedTools } = settings.server;
  const pinned = [...alsoShown, ...pinnedTools];
  const bySetting: Face = compact === 'on' ? 'compact' : compact === 'off' ? 'all' : 'auto';
  const show = (face: Face | 'long'): Catalogue => {
    if (face === 'all' || (face === 'long' && unlistedServers.length === 0)) return catalogue;
    const maxTools = { compact: 0, auto: shortListAbove, long: Infinity }[face];
    return compactCatalogue(catalogue, { maxTools, finders, pinned, unlistedServers });
  };
  const chosen = wanted === 'auto' ? bySetting : wanted;
  return {
    stdioCatalogue: show(chosen),
    httpCatalogue: show(chosen === 'auto' ? 'long' : chosen),
  };
}
