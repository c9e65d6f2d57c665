import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { partsOf } from './installation-parts.ts';
import { NotUsable, type Installation, type Language } from './language.ts';
import { inSearchPath, inVersions } from './look-around.ts';
import type { Surroundings } from './surroundings.ts';

/** The first that runs a source file as it is. */
const leastMajor = 11;

export const java: Language = {
  wanted: `Java Development Kit (java and javac, ${leastMajor} or newer)`,
  install: {
    linux:
      'apt install default-jdk-headless (Debian, Ubuntu), dnf install java-latest-openjdk-devel (Fedora), or sdk install java',
    darwin: 'brew install openjdk, or sdk install java',
  },
  candidates(surroundings) {
    const { home, env, systemRoot } = surroundings;
    const sdkman = join(env['SDKMAN_DIR'] ?? join(home, '.sdkman'), 'candidates/java');
    const asdf = join(env['ASDF_DATA_DIR'] ?? join(home, '.asdf'), 'installs/java');
    const javaHome = env['JAVA_HOME'];
    return [
      ...(javaHome ? [join(javaHome, 'bin/java')] : []),
      ...inSearchPath(surroundings, ['java']),
      join(sdkman, 'current/bin/java'),
      ...inVersions(sdkman, 'bin/java'),
      ...inVersions(join(systemRoot, '/usr/lib/jvm'), 'bin/java'),
      ...inVersions(asdf, 'bin/java'),
      ...inVersions(
        join(systemRoot, '/Library/Java/JavaVirtualMachines'),
        'Contents/Home/bin/java',
      ),
    ];
  },
  examine,
};

async function examine(program: string, surroundings: Surroundings): Promise<Installation> {
  const real = realpathSync(program);
  const home = dirname(dirname(real));
  if (!existsSync(join(home, 'bin/javac'))) {
    throw new NotUsable('there is no javac beside it, so it only runs what is compiled');
  }
  const text = await surroundings.ask(real, ['--version']);
  const version = /^\S+ (\d+(?:\.\d+)*)/.exec(text)?.[1];
  if (version === undefined) throw new NotUsable(`it says of its version: ${text.trim()}`);
  if (Number.parseInt(version, 10) < leastMajor) throw new NotUsable(`it is Java ${version}`);
  const own = partsOf(home, [home], surroundings);
  return {
    version,
    program: real,
    canMove: own.canMove,
    parts: [...own.parts, ...configurationOf(home)],
    isComplete: true,
    env: (at) => ({ JAVA_HOME: at(home) }),
  };
}

/** Distributions keep its settings in `/etc/java-…`, without which it does not even compile. */
function configurationOf(home: string): string[] {
  const settings = join(home, 'conf/security/java.security');
  if (!existsSync(settings)) return [];
  const [folder] = /^\/etc\/java-[^/]+(?=\/)/.exec(realpathSync(settings)) ?? [];
  return folder === undefined ? [] : [folder];
}
