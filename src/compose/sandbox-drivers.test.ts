import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createProcessOwner, silentLog } from '../kernel/index.ts';
import type { SandboxDriver } from '../sandbox/index.ts';
import { loadSettingsHere } from './settings.ts';
import { driversHere } from './sandbox-drivers.ts';

async function drivers(
  platform: NodeJS.Platform,
  flags: Readonly<Record<string, string>> = {},
): Promise<readonly SandboxDriver[]> {
  const home = mkdtempSync(join(tmpdir(), 'tutti-drivers-'));
  const owner = createProcessOwner({ runDirectory: join(home, 'run'), log: silentLog });
  const request = { flags: { home, ...flags }, env: {}, cwd: home };
  const { values } = await loadSettingsHere(request);
  const around = { platform, env: {}, cwd: home, homeDirectory: home };
  const found = driversHere({ settings: values.sandbox, around, home, owner, log: silentLog });
  onTestFinished(async () => {
    for (const driver of found) await driver.close();
    await owner.close();
    rmSync(home, { recursive: true });
  });
  return found;
}

function named(found: readonly SandboxDriver[], name: string): SandboxDriver | undefined {
  return found.find((driver) => driver.name === name);
}

it('offers what fits the system, best first', async () => {
  const names = async (platform: NodeJS.Platform) =>
    (await drivers(platform)).map(({ name }) => name);
  expect(await names('linux')).toEqual(['bubblewrap', 'docker', 'kubernetes']);
  expect(await names('darwin')).toEqual(['seatbelt', 'docker', 'kubernetes']);
  expect(await names('win32')).toEqual(['docker', 'kubernetes']);
});

it('passes on what results of canaries depend on', async () => {
  const socket = { 'sandbox.docker.socket': '/nowhere/docker.sock' };
  const found = await drivers('linux', socket);
  await expect(named(found, 'docker')?.fingerprint?.()).rejects.toThrow('/nowhere/docker.sock');
  expect(await named(found, 'kubernetes')?.fingerprint?.()).toBeUndefined();
});

it('says of each that does not work here why, and what would help', async () => {
  const socket = { 'sandbox.docker.socket': '/nowhere/docker.sock' };
  const docker = await named(await drivers('linux', socket), 'docker')?.probe();
  expect(docker).toMatchObject({ state: 'unavailable', fix: expect.any(String) });
  const unchosen = await named(await drivers('linux'), 'kubernetes')?.probe();
  expect(unchosen).toMatchObject({
    state: 'unavailable',
    fix: expect.stringContaining('sandbox.driver'),
  });
  const chosen = await drivers('linux', { 'sandbox.driver': 'kubernetes' });
  expect(await named(chosen, 'kubernetes')?.probe()).toMatchObject({
    state: 'unavailable',
    message: expect.stringContaining('kube'),
  });
  if (process.platform === 'darwin') return;
  expect(await named(await drivers('darwin'), 'seatbelt')?.probe()).toMatchObject({
    state: 'unavailable',
    message: 'works on macOS only',
  });
});
