import { homedir } from 'node:os';
import { loadSettings, type LoadedSettings } from '../config/index.ts';

export interface SettingsRequest {
  /** Settings given on the command line, by dotted key. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** The effective settings of this machine and folder. */
export function loadSettingsHere(request: SettingsRequest): Promise<LoadedSettings> {
  return loadSettings({ ...request, homeDirectory: homedir(), platform: process.platform });
}
