import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { liesInside, lookupTable } from '../../kernel/index.ts';
import { languages } from './languages.ts';
import type { Surroundings } from './surroundings.ts';

/** A toolchain that works on the host. */
export interface Installation {
  /** What its own `--version` says: `3.11.7`. */
  readonly version: string;
  readonly program: string;
  /** All that it consists of; files or folders. The system's own folders need not be named. */
  readonly parts: readonly string[];
  /** It works when its one part is seen at another path. */
  readonly canMove: boolean;
  /** Has all modules and features that were wished for. */
  readonly isComplete: boolean;
  /** Folders of programs besides the one that `program` lies in. */
  readonly programFolders?: readonly string[];
  /** `at` gives the path inside of a path of the host. */
  readonly env?: (at: (path: string) => string) => Readonly<Record<string, string>>;
}

/** Why a program that was found is not taken. */
export class NotUsable extends Error {}

type Examine = (program: string, surroundings: Surroundings) => Promise<Installation>;

/** Runs a program and describes it. Throws `NotUsable` with the reason. */
export async function examineInstallation(
  language: string,
  program: string,
  surroundings: Surroundings,
): Promise<Installation> {
  const examine = examiners[language];
  if (!examine) throw new NotUsable('there is no way to examine it');
  return examine(program, surroundings);
}

/** The first Node that runs TypeScript as it is. */
const completeNodeMajor = 24;
const leastNodeMajor = 18;
const leastPythonMinor = 8;
/** The first Java that runs a source file as it is. */
const leastJavaMajor = 11;

const examiners = lookupTable<Examine>({
  python: examinePython,
  async node(program, surroundings) {
    const version = await askVersion('node', program, surroundings);
    const major = Number.parseInt(version, 10);
    if (major < leastNodeMajor) throw new NotUsable(`it is Node ${version}`);
    const real = realpathSync(program);
    return {
      version,
      program: real,
      ...partsOf(dirname(dirname(real)), [real], surroundings),
      isComplete: major >= completeNodeMajor,
    };
  },
  async go(program, surroundings) {
    const version = await askVersion('go', program, surroundings);
    const root = await askRoot(program, ['env', 'GOROOT'], surroundings);
    const own = join(root, 'bin/go');
    return {
      version,
      program: own,
      ...partsOf(root, [root], surroundings),
      isComplete: true,
      programFolders: [dirname(own)],
      env: (at) => ({ GOROOT: at(root) }),
    };
  },
  async rust(program, surroundings) {
    if (basename(realpathSync(program)) === 'rustup') {
      throw new NotUsable('it is rustup, which only chooses a toolchain');
    }
    const version = await askVersion('rust', program, surroundings);
    const root = await askRoot(program, ['--print', 'sysroot'], surroundings);
    if (!existsSync(join(root, 'bin/cargo'))) throw new NotUsable('there is no cargo beside it');
    const linkers = ['/usr/bin/cc', '/usr/bin/gcc', '/usr/local/bin/cc'];
    if (!linkers.some((path) => existsSync(join(surroundings.systemRoot, path)))) {
      throw new NotUsable('there is no linker: neither cc nor gcc');
    }
    const parts = partsOf(root, [root], surroundings);
    return { version, program: join(root, 'bin/rustc'), ...parts, isComplete: true };
  },
  async java(program, surroundings) {
    const real = realpathSync(program);
    const home = dirname(dirname(real));
    if (!existsSync(join(home, 'bin/javac'))) {
      throw new NotUsable('there is no javac beside it, so it only runs what is compiled');
    }
    const version = await askVersion('java', real, surroundings);
    if (Number.parseInt(version, 10) < leastJavaMajor) throw new NotUsable(`it is Java ${version}`);
    const own = partsOf(home, [home], surroundings);
    return {
      version,
      program: real,
      canMove: own.canMove,
      parts: [...own.parts, ...javaSettings(home)],
      isComplete: true,
      env: (at) => ({ JAVA_HOME: at(home) }),
    };
  },
  async shell(program, surroundings) {
    const version = await askVersion('shell', program, surroundings);
    return { version, program, parts: [], canMove: false, isComplete: true };
  },
});

async function askVersion(
  language: string,
  program: string,
  { ask }: Surroundings,
): Promise<string> {
  const { versionArguments = [], version: pattern = '' } = languages[language] ?? {};
  const text = (await ask(program, versionArguments)).trim();
  const version = new RegExp(pattern).exec(text)?.[1];
  if (version === undefined) throw new NotUsable(`it says of its version: ${text}`);
  return version;
}

async function askRoot(program: string, args: string[], { ask }: Surroundings): Promise<string> {
  const root = (await ask(program, args)).trim();
  if (!root.startsWith('/')) throw new NotUsable(`it says of its folder: ${root}`);
  return root;
}

/** Distributions keep its settings in `/etc/java-…`, without which it does not even compile. */
function javaSettings(home: string): string[] {
  const settings = join(home, 'conf/security/java.security');
  if (!existsSync(settings)) return [];
  const [folder] = /^\/etc\/java-[^/]+(?=\/)/.exec(realpathSync(settings)) ?? [];
  return folder === undefined ? [] : [folder];
}

/** Understood by every Python, so that an old one is named as old. */
const pythonQuestion = `
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

const pythonAnswer = z.object({
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  prefix: z.string().startsWith('/'),
  base: z.string().startsWith('/'),
  missing: z.array(z.string()),
});

async function examinePython(program: string, surroundings: Surroundings): Promise<Installation> {
  // Isolated: modules in the user's own folder would not be there inside.
  const args = ['-I', '-c', pythonQuestion, ...surroundings.modules];
  const answer = pythonAnswer.parse(JSON.parse(await surroundings.ask(program, args)));
  const { version, prefix, base, missing } = answer;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major !== 3 || minor < leastPythonMinor) throw new NotUsable(`it is Python ${version}`);
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
    env: (at) => pythonLibraryPath(base, at(base)),
  };
}

/**
 * A Python that was moved looks for its library where it was built, and may then find another one of
 * the system that almost fits.
 */
function pythonLibraryPath(base: string, target: string): Record<string, string> {
  const isMoved = target !== base && readdirSync(join(base, 'lib')).some(isPythonLibrary);
  return isMoved ? { LD_LIBRARY_PATH: join(target, 'lib') } : {};
}

function isPythonLibrary(name: string): boolean {
  return name.startsWith('libpython') && name.includes('.so');
}

/** Package managers whose programs need others of the same store, at the same path. */
const stores = ['/nix/store', '/gnu/store', '/home/linuxbrew/.linuxbrew', '/opt/homebrew'];

/**
 * What has to be shown of an installation that fills the folder `prefix`. A folder that is shared with
 * other files, such as a home folder, is never shown: then only `alone` is.
 */
function partsOf(
  prefix: string,
  alone: readonly string[],
  surroundings: Surroundings,
): Pick<Installation, 'parts' | 'canMove'> {
  const real = realpathSync(prefix);
  if (isOfSystem(real, surroundings)) return { parts: [], canMove: false };
  const store = stores.find((folder) => liesInside(folder, real));
  if (store) return { parts: [store], canMove: false };
  if (isOwnFolder(real, surroundings)) return { parts: [real], canMove: true };
  const parts = alone.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  return { parts, canMove: parts.length === 1 };
}

/** Folders that people install into beside other files. */
const sharedNames = new Set(['.local', 'local', 'usr', 'opt', 'home', 'root', '']);

function isOwnFolder(folder: string, { home }: Surroundings): boolean {
  const isShared = sharedNames.has(basename(folder)) || liesInside(folder, home);
  return !isShared && dirname(folder) !== '/home' && dirname(folder) !== '/Users';
}

/** Every sandbox has these. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib64'];

/** True for what every sandbox shows anyway. */
export function isOfSystem(path: string, { systemRoot }: Surroundings): boolean {
  return systemFolders.some((folder) => liesInside(systemRoot + folder, path));
}
