import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { partsOf } from './installation-parts.ts';
import { NotUsable, type Installation, type Language } from './language.ts';
import { inSearchPath, inVersions } from './look-around.ts';
import type { Surroundings } from './surroundings.ts';

/** The first that runs TypeScript as it is. */
const completeMajor = 24;
const leastMajor = 18;

export const node: Language = {
  wanted: `node (${leastMajor} or newer)`,
  install: {
    linux: 'nvm install 24, or apt install nodejs (Debian, Ubuntu)',
    darwin: 'brew install node, or nvm install 24',
  },
  candidates: (surroundings) => [
    surroundings.node,
    ...inSearchPath(surroundings, ['node']),
    ...inVersions(
      join(surroundings.env['NVM_DIR'] ?? join(surroundings.home, '.nvm'), 'versions/node'),
      'bin/node',
    ),
    ...inVersions(
      join(
        surroundings.env['ASDF_DATA_DIR'] ?? join(surroundings.home, '.asdf'),
        'installs/nodejs',
      ),
      'bin/node',
    ),
    join(surroundings.systemRoot, '/usr/local/bin/node'),
    join(surroundings.systemRoot, '/usr/bin/node'),
  ],
  examine,
};

async function examine(program: string, surroundings: Surroundings): Promise<Installation> {
  const text = (await surroundings.ask(program, ['--version'])).trim();
  const [, version, major] = /^v((\d+)\.\d+\.\d+)$/.exec(text) ?? [];
  if (version === undefined) throw new NotUsable(`it says of its version: ${text}`);
  if (Number(major) < leastMajor) throw new NotUsable(`it is Node ${version}`);
  const real = realpathSync(program);
  return {
    version,
    program: real,
    ...partsOf(dirname(dirname(real)), [real], surroundings),
    isComplete: Number(major) >= completeMajor,
  };
}
