import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Toolchain } from '../src/sandbox/driver.ts';
import {
  bubblewrapMissing,
  toolchainOrSkip,
  whyNoBubblewrap,
} from '../testkit/sandbox/this-machine.ts';
import { findToolchain } from '../src/sandbox/toolchains/find-toolchain.ts';
import { hostSurroundings } from '../src/sandbox/toolchains/surroundings.ts';

/** A program for each language that needs more of its toolchain than its own file. */
const trials: Readonly<Record<string, { readonly script: string; readonly says: RegExp }>> = {
  python: {
    script: '"$PROGRAM" -c "import ssl, sqlite3, sys, lzma; print(sys.version.split()[0])"',
    says: /^3\./,
  },
  node: { script: '"$PROGRAM" -p "process.version"', says: /^v\d/ },
  go: {
    script: `printf 'package main\\nfunc main() { println(6 * 7) }\\n' > m.go && go run m.go 2>&1`,
    says: /^42$/m,
  },
  rust: {
    script: 'cargo new -q --vcs none one && cd one && cargo run -q',
    says: /^Hello, world!$/m,
  },
  java: {
    script: `echo 'class A { public static void main(String[] a) { System.out.println(6 * 7); } }' > A.java && "$PROGRAM" A.java`,
    says: /^42$/m,
  },
  shell: { script: '"$PROGRAM" -c "echo $((6 * 7))"', says: /^42$/m },
};

const emptyRoot =
  '--unshare-all --die-with-parent --ro-bind /usr /usr --proc /proc --symlink usr/bin /bin ' +
  '--symlink usr/lib /lib --symlink usr/lib64 /lib64 --ro-bind /etc /etc --dev /dev ' +
  '--tmpfs /tmp --tmpfs /work --chdir /work --clearenv';

/** Runs a script where only the system's folders and the toolchain are to be seen. */
function runInside(toolchain: Toolchain, script: string): string {
  const shown = toolchain.mounts.flatMap(({ source, target }) => ['--ro-bind', source, target]);
  const env = {
    ...toolchain.env,
    PROGRAM: toolchain.program,
    PATH: toolchain.searchPath.join(':'),
  };
  const settings = Object.entries({ ...env, HOME: '/work' }).flatMap((entry) => [
    '--setenv',
    ...entry,
  ]);
  const args = [...emptyRoot.split(' '), ...shown, ...settings, '/bin/sh', '-c', script];
  const options = { encoding: 'utf8', timeout: 60_000 } as const;
  const { stdout, stderr } = spawnSync('/usr/bin/bwrap', args, options);
  return stdout + stderr;
}

// Needs bubblewrap; in CI it must work.
describe.skipIf(bubblewrapMissing)(`the toolchains of this machine${whyNoBubblewrap}`, () => {
  for (const [name, { script, says }] of Object.entries(trials)) {
    it(`${name} works inside, where it was decided to be shown`, { timeout: 120_000 }, async () => {
      const found = await toolchainOrSkip({ findToolchain }, name);
      expect(runInside(found, script)).toMatch(says);
    });
  }

  it(
    'every Python of a version manager works inside at its new place',
    { timeout: 120_000 },
    async (context) => {
      const surroundings = hostSurroundings({ runsAsOther: false });
      const found = await toolchainOrSkip(
        { findToolchain: (name) => findToolchain(name, surroundings) },
        'python',
      );
      if (found.mounts.length === 0) return context.skip('no Python of a version manager here');
      const says = runInside(
        found,
        '"$PROGRAM" -c "import ssl, sys; print(sys.version.split()[0])"',
      );
      expect(says.trim()).toBe(found.version);
    },
  );
});
