import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { aFolder } from './support/run-tutti.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Installs on a machine with Node 20, from a registry that hands out this text as Node 24. */
function install(archive: string): { status: number | null; stderr: string; isUsed: boolean } {
  const folder = aFolder();
  mkdirSync(join(folder, 'bin'));
  const program = (name: string, text: string): void =>
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  program('node', `case "$2" in *versions*) echo 20;; *) exec '${process.execPath}' "$@";; esac`);
  program(
    'npm',
    `if [ "$1" = pack ]; then printf '%s' "$ARCHIVE" >"$4/node.tgz"; echo node.tgz; fi`,
  );
  const { status, stderr } = spawnSync('bash', [join(root, 'scripts/install.sh')], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, ARCHIVE: archive },
  });
  return { status, stderr, isUsed: existsSync(join(folder, 'node_modules')) };
}

describe.skipIf(process.platform !== 'linux')('installing', () => {
  it.each([
    ['another program', 'evil'],
    ['nothing', ''],
    ['much', 'x'.repeat(100_000)],
  ])('uses no Node that is not the expected one: %s', (_what, archive) => {
    const { status, stderr, isUsed } = install(archive);
    expect(status).toBe(1);
    expect(stderr).toContain('is not the expected file');
    expect(isUsed).toBe(false);
  });

  it('runs no script of a package', () => {
    const files = [
      'scripts/install.sh',
      'Makefile',
      'deploy/Dockerfile',
      '.github/workflows/*.yml',
    ];
    const lines = globSync(files, { cwd: root })
      .flatMap((file) => readFileSync(join(root, file), 'utf8').split('\n'))
      .filter((line) => /^[^#]*\bnpm (?:ci|install) /.test(line));
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((line) => !line.includes('--ignore-scripts'))).toEqual([]);
  });

  it('knows the digest of every package', () => {
    const locks = globSync('{.,test/*,bench/*}/package-lock.json', { cwd: root });
    expect(locks.length).toBeGreaterThan(3);
    const bare = locks.flatMap((lock) => {
      const { packages } = JSON.parse(readFileSync(join(root, lock), 'utf8')) as {
        packages: Record<string, { integrity?: string; link?: boolean }>;
      };
      return Object.entries(packages)
        .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
        .filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))
        .map(([path]) => `${lock}: ${path}`);
    });
    expect(bare).toEqual([]);
  });
});
