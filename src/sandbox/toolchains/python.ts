import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { partsOf } from './installation-parts.ts';
import { NotUsable, type Installation, type Language } from './language.ts';
import { inSearchPath, inVersions } from './look-around.ts';
import type { Surroundings } from './surroundings.ts';

const leastMinor = 8;

export const python: Language = {
  wanted: `python3 (3.${leastMinor} or newer)`,
  install: {
    linux:
      'apt install python3 (Debian, Ubuntu), dnf install python3 (Fedora), or pyenv install 3.12',
    darwin: 'brew install python, or pyenv install 3.12',
  },
  candidates,
  examine,
};

function candidates(surroundings: Surroundings): string[] {
  const { home, env, systemRoot } = surroundings;
  const pyenv = join(env['PYENV_ROOT'] ?? join(home, '.pyenv'), 'versions');
  const asdf = join(env['ASDF_DATA_DIR'] ?? join(home, '.asdf'), 'installs/python');
  const chosen = pyenvChoice(surroundings).map((version) => join(pyenv, version, 'bin/python3'));
  const hasShims = surroundings.searchPath.some((folder) => folder.endsWith('.pyenv/shims'));
  return [
    // Its small programs in PATH stand for the chosen version.
    ...(hasShims ? chosen : []),
    ...inSearchPath(surroundings, ['python3', 'python']),
    ...chosen,
    ...['/usr/local/bin', '/usr/bin', '/opt/homebrew/bin'].map((folder) =>
      join(systemRoot, folder, 'python3'),
    ),
    ...inVersions(pyenv, 'bin/python3'),
    ...inVersions(asdf, 'bin/python3'),
  ];
}

/** The versions that `pyenv global` names, in order. */
function pyenvChoice({ home, env }: Surroundings): string[] {
  try {
    const text =
      env['PYENV_VERSION']?.replaceAll(':', '\n') ??
      readFileSync(join(env['PYENV_ROOT'] ?? join(home, '.pyenv'), 'version'), 'utf8');
    return text.split(/\s+/).filter((version) => /^[\w.-]+$/.test(version));
  } catch {
    return [];
  }
}

/** Understood by every Python, so that an old one is named as old. */
const question = `
import json, sys
def has(name):
    try:
        from importlib.util import find_spec
        found = find_spec(name)
        return found is not None and found.origin is not None
    except Exception:
        return False
print(json.dumps({
    "version": "%d.%d.%d" % sys.version_info[:3],
    "prefix": sys.prefix,
    "base": getattr(sys, "base_prefix", sys.prefix),
    "missing": [name for name in sys.argv[1:] if not has(name)],
}))
`;

const answer = z.object({
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  prefix: z.string().startsWith('/'),
  base: z.string().startsWith('/'),
  missing: z.array(z.string()),
});

async function examine(program: string, surroundings: Surroundings): Promise<Installation> {
  // Isolated: modules in the user's own folder would not be there inside.
  const text = await surroundings.ask(program, ['-I', '-c', question, ...surroundings.modules]);
  const { version, prefix, base, missing } = answer.parse(JSON.parse(text));
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major !== 3 || minor < leastMinor) throw new NotUsable(`it is Python ${version}`);
  const own = partsOf(base, [program, join(base, 'lib', `python3.${minor}`)], surroundings);
  const found = { version, isComplete: missing.length === 0, programFolders: [dirname(program)] };
  if (prefix !== base) {
    // A virtual environment names the Python below it by its path, so neither can move.
    return { ...found, program, parts: [prefix, ...own.parts], canMove: false };
  }
  const named = join(base, 'bin', `python3.${minor}`);
  return {
    ...found,
    program: existsSync(named) ? named : realpathSync(program),
    ...own,
    env: (at) => libraryPath(base, at(base)),
  };
}

/**
 * A Python that was moved looks for its library where it was built, and may then find another one of
 * the system that almost fits.
 */
function libraryPath(base: string, target: string): Record<string, string> {
  const isMoved = target !== base && readdirSync(join(base, 'lib')).some(isPythonLibrary);
  return isMoved ? { LD_LIBRARY_PATH: join(target, 'lib') } : {};
}

function isPythonLibrary(name: string): boolean {
  return name.startsWith('libpython') && name.includes('.so');
}
