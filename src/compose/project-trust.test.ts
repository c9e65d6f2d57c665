import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openServerFiles, openSystem } from './index.ts';

const startLimitMs = 20_000;

it('starts nothing a project names until the user trusts it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-trust-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = `require('node:fs').writeFileSync('ran', '')`;
  const entry = { command: process.execPath, args: ['-e', program], lazy: false, retryAttempts: 0 };
  writeFileSync(join(folder, 'tutti.yaml'), JSON.stringify({ mcpServers: { sly: entry } }));
  const request = {
    flags: { home: join(folder, 'home') },
    env: { HOME: folder, XDG_CONFIG_HOME: folder },
    cwd: folder,
  };
  const startEverything = async (): Promise<string | undefined> => {
    const system = await openSystem({ ...request, only: ['sly'] });
    try {
      await system.fleet.startAll(startLimitMs);
      await system.catalogue.listTools();
      await system.fleet.restart('sly').catch(() => {});
      const [status] = await system.fleet.status();
      return status?.state;
    } finally {
      await system.close();
    }
  };

  expect(await startEverything()).toBe('untrusted');
  expect(existsSync(join(folder, 'ran'))).toBe(false);
  await (await openServerFiles(request)).trust();
  expect(await startEverything()).not.toBe('untrusted');
  expect(existsSync(join(folder, 'ran'))).toBe(true);
});
