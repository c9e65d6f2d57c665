import { homedir } from 'node:os';
import { loadSettings, type LoadedSettings, type Surroundings } from '../config/index.ts';

export interface SettingsRequest {
  /** Settings given on the command line, by dotted key. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** The effective settings of this machine and folder. */
export function loadSettingsHere(request: SettingsRequest): Promise<LoadedSettings> {
  return loadSettings({ ...surroundingsOf(request), flags: request.flags });
}

/** Where a request is made: its folder and variables on this machine. */
export function surroundingsOf({ env, cwd }: SettingsRequest): Surroundings {
  const { platform } = process;
  const homeDirectory = env[platform === 'win32' ? 'USERPROFILE' : 'HOME'] ?? '';
  return { env, cwd, platform, homeDirectory: homeDirectory === '' ? homedir() : homeDirectory };
}
