import { join } from 'node:path';
import {
  projectPlaces,
  settingVariables,
  trustFile,
  userFile,
  type LoadedSettings,
} from '../config/index.ts';
import type { StartConditions, StartPath } from '../contract/opening/index.ts';
import { surroundingsOf, type SettingsRequest } from './settings.ts';
import { standardsDirectory } from './toolbox.ts';

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
