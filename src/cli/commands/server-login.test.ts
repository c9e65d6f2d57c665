import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runMain } from '../../../testkit/cli/run-main.ts';
import { describeLogin } from './server-login.ts';

const aLogin = {
  state: 'active',
  callerId: 'local',
  account: null,
  issuer: 'https://login.example',
  scopes: ['read', 'write'],
  expiresAt: '2026-01-01T01:00:00.000Z',
  isRenewable: true,
} as const;

describe('a login', () => {
  it('prints the URL and, with --no-browser, opens nothing', async () => {
    const { exitCode, stdout, stderr } = await runMain([
      'servers',
      'login',
      'fake',
      '--no-browser',
    ]);
    expect(stderr).toContain('\nhttps://login.example/authorize?state=s\n');
    expect(stdout).toBe(
      'Logged in to "fake": logged in as ann@example.org at login.example, scopes read write, renewed by itself\n',
    );
    expect(exitCode).toBe(0);
  });

  it.skipIf(process.platform !== 'linux')(
    'opens the URL with the opener of the platform, as one argument and without a shell',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'tutti-'));
      const opener = join(folder, 'xdg-open');
      writeFileSync(opener, `#!/bin/sh\nprintf '%s|' "$#" "$1" > "${folder}/opened"\n`);
      chmodSync(opener, 0o755);
      const env = { PATH: `${folder}:/bin:/usr/bin` };
      await runMain(['servers', 'login', 'fake'], { io: { env } });
      const read = (): string => readFileSync(join(folder, 'opened'), 'utf8');
      await expect.poll(read).toBe('1|https://login.example/authorize?state=s|');
    },
  );

  it('is one JSON document for programs', async () => {
    const { stdout } = await runMain(['servers', 'login', 'fake', '--no-browser', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'fake',
      state: 'active',
      scopes: ['read', 'write'],
    });
  });

  it('ends with a logout, which says what the authority did not confirm', async () => {
    expect((await runMain(['servers', 'logout', 'fake'])).stdout).toBe('Logged out of "fake".\n');
    const none = await runMain(['servers', 'logout', 'other']);
    expect([none.exitCode, none.stdout]).toEqual([0, 'There was no login to "other".\n']);
  });
});

it.each([
  [{ ...aLogin }, 'logged in at login.example, scopes read write, renewed by itself'],
  [
    { ...aLogin, account: 'ann', isRenewable: false },
    'logged in as ann at login.example, scopes read write, until 2026-01-01T01:00:00.000Z',
  ],
  [{ ...aLogin, state: 'revoked', scopes: [] } as const, 'login revoked at login.example'],
  [{ ...aLogin, state: 'needed' } as const, 'login needed'],
  [
    { ...aLogin, isRenewable: false, expiresAt: null, scopes: ['a\nb'] },
    'logged in at login.example, scopes a b',
  ],
])('is described in a line', (login, text) => {
  expect(describeLogin(login)).toEqual(text);
});
