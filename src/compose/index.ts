import type { LoadedSettings } from '../config/index.ts';
import type { RestartReport } from '../contract/server-files/index.ts';
import { requestRestart } from './control.ts';
import { loadSettingsHere, type SettingsRequest } from './settings.ts';

export { openSystem } from './open-system.ts';
export { openClientConnections } from './client-connections.ts';
export { openServerFiles } from './server-files.ts';
export type { System, SystemRequest } from './system.ts';

/** The settings alone, for commands that need nothing else. */
export function loadSettingsOnly(request: SettingsRequest): Promise<LoadedSettings> {
  return loadSettingsHere(request);
}

/** Has every Tutti process that runs on this data directory restart a server. */
export async function restartEverywhere(
  request: SettingsRequest,
  server: string,
  limitMs: number,
): Promise<RestartReport> {
  const { values } = await loadSettingsHere(request);
  return requestRestart(values.home, server, limitMs);
}
