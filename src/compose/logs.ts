import type { RestartReport } from '../contract/server-files/index.ts';
import type { LogLevel } from '../observe/index.ts';
import { recordChange } from './audit.ts';
import { requestEverywhere } from './control.ts';
import { loadSettingsHere, type SettingsRequest } from './settings.ts';

export { followLog, type LogLine, logLevels, type LogQuery, readLog } from '../observe/index.ts';

/** The log file of this data directory. */
export async function logFile(request: SettingsRequest): Promise<string> {
  return (await loadSettingsHere(request)).values.logging.file;
}

/** Has every process that serves on this data directory log from this level on, until it ends. */
export async function setLogLevel(
  request: SettingsRequest,
  logLevel: LogLevel,
  limitMs: number,
): Promise<RestartReport> {
  const { values } = await loadSettingsHere(request);
  await recordChange(values, `log from level ${logLevel} on`);
  return requestEverywhere(values.home, { logLevel }, limitMs);
}
