import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aFolder } from './support/run-tutti.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';

const checks = z.array(
  z.object({ name: z.string(), message: z.string(), fix: z.string().optional() }),
);
const tutti = fileURLToPath(new URL('../bin/tutti.js', import.meta.url));

/** Runs Tutti where the program bwrap is there, and every start of it ends with these words. */
function runWithBrokenBwrap(complaint: string, argv: readonly string[]): string {
  const home = aFolder();
  const bwrap = join(home, 'bwrap');
  writeFileSync(
    bwrap,
    `#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 0.8.0 && exit\necho '${complaint}' >&2\nexit 1\n`,
  );
  chmodSync(bwrap, 0o755);
  // Others on this machine still see the real one.
  const script = 'mount --bind "$1" /usr/bin/bwrap && shift && exec "$@"';
  const { stdout, stderr } = spawnSync(
    'unshare',
    ['--mount', 'sh', '-c', script, 'sh', bwrap, process.execPath, tutti, ...argv],
    { cwd: home, env: { PATH: process.env['PATH'], HOME: home }, encoding: 'utf8' },
  );
  return stdout === '' ? stderr : stdout;
}

const isRoot = process.getuid?.() === 0;
const whyNot = isRoot ? whyNoBubblewrap : ' (skipped: only root can replace bwrap for a test)';

// Needs bubblewrap, to replace it, and root.
describe.skipIf(bubblewrapMissing || !isRoot)(`a bwrap that cannot start${whyNot}`, () => {
  it.each([
    ['bwrap: setting up uid map: Permission denied', /could not make its namespaces/, /seccomp/],
    ['bwrap: Can not mount proc on /newroot/proc: denied', /mount \/proc/, /systempaths/],
    ['bwrap: out of luck', /^code cannot be run: bubblewrap: bwrap: out of luck$/, undefined],
  ])('is the reason that tutti doctor gives first: %s', (complaint, reason, fix) => {
    const output = runWithBrokenBwrap(complaint, ['doctor', '--json']);
    const all = checks.parse(JSON.parse(output));
    const use = all.find(({ name }) => name === 'sandbox');
    const driver = all.find(({ name }) => name === 'sandbox bubblewrap');
    expect(use?.message).toMatch(reason);
    expect(use?.message).toBe(`code cannot be run: bubblewrap: ${driver?.message}`);
    expect(use?.message).not.toContain('tutti doctor');
    if (fix === undefined) expect(use).not.toHaveProperty('fix');
    else expect(use?.fix).toMatch(fix);
    expect(use?.fix).toBe(driver?.fix);
  });
});
