import { dirname, join } from 'node:path';
import { partsOf } from './installation-parts.ts';
import { NotUsable, type Installation, type Language } from './language.ts';
import { inSearchPath, inVersions, versionsIn } from './look-around.ts';
import type { Surroundings } from './surroundings.ts';

export const go: Language = {
  wanted: 'go',
  install: {
    linux:
      'apt install golang-go (Debian, Ubuntu), dnf install golang (Fedora), or unpack it into /usr/local/go',
    darwin: 'brew install go',
  },
  candidates(surroundings) {
    const { home, env, systemRoot } = surroundings;
    const library = join(systemRoot, '/usr/lib');
    return [
      ...inSearchPath(surroundings, ['go']),
      join(systemRoot, '/usr/local/go/bin/go'),
      ...versionsIn(library)
        .filter((name) => name.startsWith('go-'))
        .map((name) => join(library, name, 'bin/go')),
      ...inVersions(join(home, 'sdk'), 'bin/go'),
      ...inVersions(
        join(env['ASDF_DATA_DIR'] ?? join(home, '.asdf'), 'installs/golang'),
        'go/bin/go',
      ),
      join(systemRoot, '/opt/homebrew/bin/go'),
    ];
  },
  examine,
};

async function examine(program: string, surroundings: Surroundings): Promise<Installation> {
  const text = await surroundings.ask(program, ['version']);
  const version = /\bgo(\d+(?:\.\d+)+\S*)/.exec(text)?.[1];
  const root = (await surroundings.ask(program, ['env', 'GOROOT'])).trim();
  if (version === undefined || !root.startsWith('/')) {
    throw new NotUsable(`it says of its version: ${text.trim()}`);
  }
  const own = join(root, 'bin/go');
  return {
    version,
    program: own,
    ...partsOf(root, [root], surroundings),
    isComplete: true,
    programFolders: [dirname(own)],
    env: (at) => ({
      GOROOT: at(root),
      GOPATH: '/tmp/go',
      GOCACHE: '/tmp/go-build',
      // There is no network inside: say so at once instead of waiting for it.
      GOTOOLCHAIN: 'local',
      GOPROXY: 'off',
      GOSUMDB: 'off',
      GOTELEMETRY: 'off',
    }),
  };
}
