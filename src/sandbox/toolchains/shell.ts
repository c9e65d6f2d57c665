import { join } from 'node:path';
import { NotUsable, type Installation, type Language } from './language.ts';
import type { Surroundings } from './surroundings.ts';

export const shell: Language = {
  wanted: 'shell (bash or sh)',
  install: {
    linux: 'apt install bash (Debian, Ubuntu), apk add bash (Alpine)',
    darwin: 'brew install bash',
  },
  // Only the system's own: it is there in every sandbox.
  candidates: ({ systemRoot }) =>
    ['/bin/bash', '/usr/bin/bash', '/bin/sh', '/usr/bin/sh'].map((path) => join(systemRoot, path)),
  examine,
};

async function examine(program: string, surroundings: Surroundings): Promise<Installation> {
  const text = await surroundings.ask(program, ['-c', 'echo "${BASH_VERSION:-posix}"']);
  const version = /^[\w.]+/.exec(text)?.[0];
  if (version === undefined) throw new NotUsable('it does not run a command');
  return { version, program, parts: [], canMove: false, isComplete: true };
}
