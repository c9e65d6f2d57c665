import type { RestartReport } from '../contract/server-files/index.ts';
import type { MoveReport } from '../store/index.ts';
import { recordChange } from './audit.ts';
import { requestEverywhere } from './control.ts';
import type { RemoteRequest } from './remote-system.ts';
import type { ShownSettings, System } from './system.ts';
import { loadSettingsHere, type SettingsRequest } from './settings.ts';

export { openSystem } from './open-system.ts';
export { openClientConnections } from './client-connections.ts';
export {
  followLog,
  logFile,
  type LogLine,
  logLevels,
  type LogQuery,
  readLog,
  setLogLevel,
} from './logs.ts';
export { openServerFiles } from './server-files.ts';
export type { Face } from './choose-face.ts';
export type { System, SystemRequest } from './system.ts';

/** The system of a server behind its API. */
export async function openRemoteSystem(request: RemoteRequest): Promise<System> {
  return (await import('./remote-system.ts')).openRemoteSystem(request);
}

/** The settings alone, for commands that need nothing else. */
export function loadSettingsOnly(request: SettingsRequest): Promise<ShownSettings> {
  return loadSettingsHere(request);
}

/** Copies the store of this data directory to the server of `database_url`, or back, and compares every row. */
export async function moveStoreHere(
  request: SettingsRequest,
  to: 'server' | 'file',
): Promise<MoveReport> {
  return (await import('./move-store.ts')).moveStoreHere(request, to);
}

/** Asks every process that runs on this data directory to restart a server. */
export async function restartEverywhere(
  request: SettingsRequest,
  server: string,
  limitMs: number,
): Promise<RestartReport> {
  const { values } = await loadSettingsHere(request);
  await recordChange(values, `restart ${server}`);
  return requestEverywhere(values.home, { restart: server }, limitMs);
}
