import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aFolder } from './support/run-tutti.ts';

const script = new URL('../scripts/launcher.sh', import.meta.url).pathname;

function run(action: string, home: string, env: Readonly<Record<string, string>> = {}): string {
  const { stdout, stderr, status } = spawnSync('bash', [script, action], {
    encoding: 'utf8',
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
  });
  expect(status).toBe(0);
  return stdout + stderr;
}

it('puts a tutti on PATH that works from any folder, and removes it', () => {
  const home = join(aFolder(), "it's a home");
  const said = run('install', home);
  expect(said).toContain('not on your PATH');
  const launcher = join(home, '.local/bin/tutti');
  const { stdout, status } = spawnSync(
    'sh',
    ['-c', 'tutti call code.format_code code=x=1 language=python'],
    {
      encoding: 'utf8',
      cwd: home,
      env: { PATH: `${join(home, '.local/bin')}:${process.env['PATH']}`, HOME: home },
    },
  );
  expect({ stdout, status }).toEqual({ stdout: 'x = 1\n', status: 0 });
  const env = { PATH: `${join(home, '.local/bin')}:${process.env['PATH']}` };
  expect(run('install', home, env)).toContain('Installed: tutti');
  run('uninstall', home);
  expect(existsSync(launcher)).toBe(false);
});

it('leaves a tutti that is not ours alone', () => {
  const home = aFolder();
  const file = join(home, '.local/bin/tutti');
  mkdirSync(join(home, '.local/bin'), { recursive: true });
  writeFileSync(file, '#!/bin/sh\necho music\n');
  expect(run('install', home)).toContain('is not a launcher of Tutti');
  expect(run('uninstall', home)).toContain('did not write it');
  expect(readFileSync(file, 'utf8')).toBe('#!/bin/sh\necho music\n');
});

it('says what to do where nothing can be written', () => {
  expect(run('install', aFolder(), { BIN_DIR: '/proc/nowhere' })).toContain('BIN_DIR=');
});
