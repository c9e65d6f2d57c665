import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  type LoadedSettings,
  loadSettings,
  projectPlaces,
  settingVariables,
  type Surroundings,
  trustFile,
  userFile,
} from '../config/index.ts';
import type { StartConditions, StartPath } from '../contract/opening/index.ts';
import { standardsDirectory } from './toolbox.ts';

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

/** Variables that say where files are. */
const placeVariables = [
  'HOME',
  'USERPROFILE',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'APPDATA',
  'LOCALAPPDATA',
];

/**
 * What decides, beside the program itself, what clients are answered first: what settings are made of, what
 * is trusted, and what servers offered last.
 */
export function startConditions(
  request: SettingsRequest,
  { values: { home }, project }: Pick<LoadedSettings, 'values' | 'project'>,
): StartConditions {
  const around = surroundingsOf(request);
  const look = (kind: StartPath['look'], path: string): StartPath => ({ path, look: kind });
  return {
    home,
    variables: [...settingVariables(), ...placeVariables],
    paths: [
      look('content', userFile(around)),
      look('content', trustFile(home)),
      ...projectPlaces(around).flatMap(({ file, top }) => [
        look('content', file),
        look('presence', top),
      ]),
      ...(project?.files ?? []).map((file) => look('content', file)),
      look('listing', join(home, 'catalogue')),
      look('listing', standardsDirectory(request.cwd)),
    ],
  };
}
