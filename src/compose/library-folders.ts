import { delimiter, isAbsolute, join } from 'node:path';
import { surroundingsOf, type SettingsRequest } from './settings.ts';

/** Where Maven and Linux distributions keep jars. */
export function javaLibraries(request: SettingsRequest): string[] {
  return [join(surroundingsOf(request).homeDirectory, '.m2', 'repository'), '/usr/share/java'];
}

/** Where Python and Go keep packages that do not lie in the project. */
export function installationsOutside(request: SettingsRequest): {
  pythonEnvironments: string[];
  goModules: string[];
} {
  const { env, homeDirectory } = surroundingsOf(request);
  const goPaths = (env['GOPATH'] ?? '').split(delimiter).filter(Boolean);
  const goModules = [...goPaths, join(homeDirectory, 'go')].map((path) => join(path, 'pkg', 'mod'));
  const environments = [env['VIRTUAL_ENV'], '/usr/local', '/usr'];
  return {
    pythonEnvironments: environments.filter((path) => path !== undefined).filter(isAbsolute),
    goModules: [env['GOMODCACHE'] ?? '', ...goModules].filter((path) => isAbsolute(path)),
  };
}
