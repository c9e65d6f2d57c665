import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { partsOf } from './installation-parts.ts';
import { NotUsable, type Installation, type Language } from './language.ts';
import { inSearchPath, inVersions } from './look-around.ts';
import type { Surroundings } from './surroundings.ts';

export const rust: Language = {
  wanted: 'rustc with cargo and a linker (cc)',
  install: {
    linux:
      'rustup toolchain install stable (see rustup.rs), or apt install rustc cargo; and apt install gcc for the linker',
    darwin:
      'rustup toolchain install stable (see rustup.rs); and xcode-select --install for the linker',
  },
  candidates(surroundings) {
    const { home, env, systemRoot } = surroundings;
    const rustup = env['RUSTUP_HOME'] ?? join(home, '.rustup');
    return [
      ...inSearchPath(surroundings, ['rustc']),
      ...chosenToolchain(rustup).map((name) => join(rustup, 'toolchains', name, 'bin/rustc')),
      ...inVersions(join(rustup, 'toolchains'), 'bin/rustc').toSorted(stableFirst),
      ...inVersions(
        join(env['ASDF_DATA_DIR'] ?? join(home, '.asdf'), 'installs/rust'),
        'bin/rustc',
      ),
      join(systemRoot, '/usr/bin/rustc'),
    ];
  },
  examine,
};

/** What `rustup default` has written. */
function chosenToolchain(rustup: string): string[] {
  try {
    const settings = readFileSync(join(rustup, 'settings.toml'), 'utf8');
    const name = /^default_toolchain = "([\w.-]+)"$/m.exec(settings)?.[1];
    return name === undefined ? [] : [name];
  } catch {
    return [];
  }
}

function stableFirst(left: string, right: string): number {
  return Number(right.includes('/stable-')) - Number(left.includes('/stable-'));
}

async function examine(program: string, surroundings: Surroundings): Promise<Installation> {
  if (basename(realpathSync(program)) === 'rustup') {
    throw new NotUsable('it is rustup, which only chooses a toolchain');
  }
  const text = await surroundings.ask(program, ['--version']);
  const version = /^rustc (\S+)/.exec(text)?.[1];
  const root = (await surroundings.ask(program, ['--print', 'sysroot'])).trim();
  if (version === undefined || !root.startsWith('/')) {
    throw new NotUsable(`it says of its version: ${text.trim()}`);
  }
  if (!existsSync(join(root, 'bin/cargo'))) throw new NotUsable('there is no cargo beside it');
  if (!hasLinker(surroundings)) throw new NotUsable('there is no linker: neither cc nor gcc');
  return {
    version,
    program: join(root, 'bin/rustc'),
    ...partsOf(root, [root], surroundings),
    isComplete: true,
    env: () => ({ CARGO_HOME: '/tmp/cargo', CARGO_NET_OFFLINE: 'true' }),
  };
}

function hasLinker({ systemRoot }: Surroundings): boolean {
  return ['/usr/bin/cc', '/usr/bin/gcc', '/usr/local/bin/cc'].some((path) =>
    existsSync(join(systemRoot, path)),
  );
}
