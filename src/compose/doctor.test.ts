import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CallExecutor, createFleet, type OpenFleet, type ServerEntry } from '../fleet/index.ts';
import { AppError, silentLog } from '../kernel/index.ts';
import { ActiveSpans, createTracing, traceLimits } from '../observe/index.ts';
import { openStore } from '../store/index.ts';
import { createStandardsServer } from '../toolbox/standards/index.ts';
import type { Check } from '../contract/doctor/index.ts';
import type { DriverReport, Sandbox } from '../contract/sandbox/index.ts';
import { examineSandbox } from './doctor-sandbox.ts';
import { examine } from './doctor.ts';
import { loadSettingsHere } from './settings.ts';

function aFleet(servers: readonly ServerEntry[]): OpenFleet {
  const limits = { maxConcurrent: 1, maxWaiting: 1, timeoutMs: 1_000 };
  const tracing = createTracing({ activeSpans: new ActiveSpans(), log: silentLog });
  const executor = new CallExecutor(limits, tracing, silentLog);
  return createFleet({
    title: 'Tutti',
    version: '1',
    servers,
    executor,
    enabledTools: [],
    log: silentLog,
  });
}

class Missing extends AppError {
  readonly code = 'sandbox.toolchain_missing';
}

class Refused extends AppError {
  readonly code = 'sandbox.refused_by_policy';
}

function aSandbox(
  reports: readonly DriverReport[],
  toolchain: Sandbox['toolchain'] = async (name) => ({ name, version: '1', program: name }),
): Sandbox {
  return {
    run: () => Promise.reject(new Error('nothing runs here')),
    toolchain,
    examine: async () => reports,
    pool: () => ({ idle: {}, hits: 0, misses: 0, waits: 0 }),
    close: async () => {},
  };
}

async function checkServers(servers: readonly ServerEntry[]): Promise<Check | undefined> {
  const home = mkdtempSync(join(tmpdir(), 'tutti-doctor-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const settings = await loadSettingsHere({ flags: { home }, env: {}, cwd: home });
  const store = openStore({ home, traceLimits });
  onTestFinished(() => store.close());
  const { catalogue, control } = aFleet(servers);
  const sandbox = async () => aSandbox([]);
  const patient = { settings, store, catalogue, fleet: control, sandbox, searchPath: '' };
  const checks = await examine(patient);
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

it('shows each driver, who holds what, and how to have it held better', async () => {
  const held = { protection: 'memory', holder: 'supervisor', evidence: 'it was killed' } as const;
  const reports: DriverReport[] = [
    {
      driver: 'bubblewrap',
      state: 'ready',
      message: 'bubblewrap 0.8.0',
      protections: [
        { protection: 'network', holder: 'kernel', evidence: 'no connection was possible' },
        { ...held, fix: 'systemctl …' },
      ],
    },
    { driver: 'docker', state: 'unavailable', message: 'no socket', fix: 'apt', protections: [] },
    {
      driver: 'seatbelt',
      state: 'unproven',
      message: 'macOS 15',
      protections: [{ ...held, holder: 'none' }],
    },
  ];
  const [use, ...drivers] = await examineSandbox(async () => aSandbox(reports));
  expect(use).toEqual({
    name: 'sandbox',
    status: 'ok',
    message: 'runs python 1, node 1, go 1, rust 1, java 1, shell 1',
  });
  expect(drivers).toEqual([
    {
      name: 'sandbox bubblewrap',
      status: 'ok',
      message: 'bubblewrap 0.8.0 (kernel holds 1, supervisor 1, missing 0)',
      details: [
        { name: 'network', holder: 'kernel', message: 'no connection was possible' },
        { name: 'memory', holder: 'supervisor', message: 'it was killed', fix: 'systemctl …' },
      ],
    },
    { name: 'sandbox docker', status: 'absent', message: 'no socket', fix: 'apt' },
    {
      name: 'sandbox seatbelt',
      status: 'warning',
      message: 'not proven on such a machine: macOS 15 (kernel holds 0, supervisor 0, missing 1)',
      details: [{ name: 'memory', holder: 'none', message: 'it was killed' }],
    },
  ]);
});

it('says which languages are missing, and when no code can be run at all', async () => {
  const without: Sandbox['toolchain'] = async (name) => {
    if (name !== 'go') return { name, version: '1', program: name };
    throw new Missing('The program was not run: no go was found. Install it: apt');
  };
  const [missing] = await examineSandbox(async () => aSandbox([], without));
  expect(missing).toMatchObject({
    status: 'warning',
    message: 'runs python 1, node 1, rust 1, java 1, shell 1',
    fix: 'go: no go was found. Install it: apt',
  });
  const fixes = ['apt-get install -y bubblewrap'];
  const drivers = [{ driver: 'bubblewrap', missing: ['it is not installed'], fixes }];
  const refused = () => Promise.reject(new Refused('no sandbox\nhere', { details: { drivers } }));
  const nowhere: DriverReport = {
    driver: 'docker',
    state: 'unavailable',
    message: 'no socket',
    protections: [],
  };
  const [unusable, driver] = await examineSandbox(async () => aSandbox([nowhere], refused));
  expect(driver?.status).toBe('warning');
  expect(unusable).toMatchObject({
    status: 'warning',
    message: 'code cannot be run: bubblewrap: it is not installed',
    fix: 'apt-get install -y bubblewrap',
  });
  const [broken] = await examineSandbox(() => Promise.reject(new Error('a bug')));
  expect(broken).toMatchObject({ status: 'failed' });
});
