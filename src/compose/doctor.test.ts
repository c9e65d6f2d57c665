import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CallLane, createFleet, type OpenFleet, type ServerEntry } from '../fleet/index.ts';
import { silentLog } from '../kernel/index.ts';
import { ActiveSpans, createTracing, traceLimits } from '../observe/index.ts';
import { openStore } from '../store/index.ts';
import { createStandardsServer } from '../toolbox/standards/index.ts';
import { examine, type Check } from './doctor.ts';
import { loadSettingsOnly } from './index.ts';

function aFleet(servers: readonly ServerEntry[]): OpenFleet {
  const limits = { maxConcurrent: 1, maxWaiting: 1, timeoutMs: 1_000 };
  const tracing = createTracing({ activeSpans: new ActiveSpans(), log: silentLog });
  const lane = new CallLane(limits, tracing, silentLog);
  return createFleet({
    title: 'Tutti',
    version: '1',
    servers,
    lane,
    enabledTools: [],
    log: silentLog,
  });
}

async function checkServers(servers: readonly ServerEntry[]): Promise<Check | undefined> {
  const home = mkdtempSync(join(tmpdir(), 'tutti-doctor-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const settings = await loadSettingsOnly({ flags: { home }, env: {}, cwd: home });
  const store = openStore({ home, traceLimits });
  onTestFinished(() => store.close());
  const { catalogue, control } = aFleet(servers);
  const checks = await examine({ settings, store, catalogue, fleet: control, searchPath: '' });
  return checks.find((check) => check.name === 'servers');
}

const broken: ServerEntry = {
  name: 'broken',
  open: () => Promise.reject(new Error('Cannot find module')),
};
const standards: ServerEntry = {
  name: 'standards',
  open: async () =>
    createStandardsServer({ version: '1', directories: {}, log: silentLog, watch: false }),
};

it('names the servers that could not be listed beside those that could', async () => {
  expect(await checkServers([broken, standards])).toEqual({
    name: 'servers',
    status: 'failed',
    message: 'broken could not be listed: Cannot find module (standards: 2 tools)',
    fix: 'Install Tutti anew if a file of it is missing; the log file says more',
  });
});

it('says why when no server offers a tool', async () => {
  expect(await checkServers([])).toMatchObject({
    status: 'failed',
    message: 'no server offers a tool',
  });
  expect(await checkServers([broken])).toMatchObject({
    status: 'failed',
    message: 'broken could not be listed: Cannot find module (no server offers a tool)',
  });
});
