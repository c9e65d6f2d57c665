import type { LoadedSettings } from '../config/index.ts';
import { loadSettingsHere, type SettingsRequest } from './settings.ts';

export { openSystem, type System, type SystemRequest } from './open-system.ts';

/** The settings alone, for commands that need nothing else. */
export function loadSettingsOnly(request: SettingsRequest): Promise<LoadedSettings> {
  return loadSettingsHere(request);
}
