import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openPrivateToken } from './data-directory.ts';

function aHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'tutti-token-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

it('is made once, for its owner alone', () => {
  const home = aHome();
  const { file, token } = openPrivateToken(home, 'serve-token');
  expect(readFileSync(file, 'utf8').trim()).toBe(token.reveal());
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(openPrivateToken(home, 'serve-token').token.reveal()).toBe(token.reveal());
  expect(openPrivateToken(aHome(), 'serve-token').token.reveal()).not.toBe(token.reveal());
});

it.each([
  ['others may have read it', (file: string) => chmodSync(file, 0o644)],
  ['it is empty', (file: string) => writeFileSync(file, '')],
  ['it is a short text', (file: string) => writeFileSync(file, 'guess\n')],
  [
    'it is a link',
    (file: string) => {
      rmSync(file);
      writeFileSync(`${file}-other`, 'a'.repeat(43), { mode: 0o600 });
      symlinkSync(`${file}-other`, file);
    },
  ],
])('is made anew where %s', (_why, damage) => {
  const home = aHome();
  const { file, token } = openPrivateToken(home, 'serve-token');
  damage(file);
  const next = openPrivateToken(home, 'serve-token').token.reveal();
  expect(next).not.toBe(token.reveal());
  expect(next).toMatch(/^[\w-]{43}$/);
  expect(next).not.toBe('a'.repeat(43));
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
