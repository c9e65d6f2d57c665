import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { protections, type DriverReport, type Protection } from '../src/contract/sandbox/index.ts';
import { createProcessOwner, silentLog, systemTimers } from '../src/kernel/index.ts';
import { createBubblewrapDriver } from '../src/sandbox/bubblewrap/index.ts';
import type { SandboxDriver } from '../src/sandbox/driver.ts';
import { openSandbox } from '../src/sandbox/open-sandbox.ts';
import { chooseResourceControl } from '../src/sandbox/resources/choose-resource-control.ts';
import type { ResourceControlKind } from '../src/sandbox/resources/resource-control.ts';
import { judge } from '../src/sandbox/choose-driver.ts';
import { aRun } from '../testkit/sandbox/a-run.ts';
import { sampleSeeded } from '../testkit/sample.ts';
import {
  bubblewrapMissing,
  isCountedByKernel,
  whyNoBubblewrap,
} from '../testkit/sandbox/this-machine.ts';

/** Left out, these open nothing: another layer holds the same, so only the driver can tell. */
const coveredByOthers: readonly Protection[] = [
  // bwrap always asks the kernel for it.
  'new-privileges',
  // Proven by killing the supervisor, in a test of its own.
  'dies-with-us',
];

/** Only root can start it as root. */
const needRoot: readonly Protection[] = ['unprivileged-user', 'user-namespace'];
const canBeLeftOut = protections.filter(
  (protection) => process.getuid?.() === 0 || !needRoot.includes(protection),
);

/** Left out, these may take others with them. */
const mayBeLost: Readonly<Partial<Record<Protection, readonly Protection[]>>> = {
  // Host root in disguise owns what is writable in /proc/sys.
  'unprivileged-user': ['read-only-system'],
  // Without users of its own bwrap must be started as root.
  'user-namespace': ['unprivileged-user', 'read-only-system', 'capabilities'],
  // The filter of system calls refuses a new user namespace too, so it goes as well.
  'nested-namespaces': ['system-calls'],
  // The machine's id is one of the files.
  'host-files': ['host-identity'],
};

type Without = readonly Protection[];
type Kinds = readonly ResourceControlKind[] | undefined;

function aDriver(without: Without = [], kinds?: Kinds): SandboxDriver {
  const runDirectory = mkdtempSync(join(tmpdir(), 'sandbox-protections-'));
  const owner = createProcessOwner({ runDirectory, log: silentLog });
  const resources = chooseResourceControl({ kinds });
  const driver = createBubblewrapDriver({ owner, log: silentLog, without, resources });
  onTestFinished(async () => {
    await driver.close();
    await owner.close();
    rmSync(runDirectory, { recursive: true, force: true });
  });
  return driver;
}

function notHeld(rows: DriverReport['protections']): Protection[] {
  return rows.filter(({ holder }) => holder === 'none').map(({ protection }) => protection);
}

async function runOn(
  driver: SandboxDriver,
  cacheDirectory: string | null = null,
): Promise<unknown> {
  const sandbox = openSandbox({
    drivers: [driver],
    wanted: 'auto',
    policy: 'standard',
    pool: {
      warm: false,
      maxRunning: 1,
      maxWaiting: 1,
      maxIdleMemoryBytes: 0,
      maxIdlePerShape: 0,
      maxIdleMs: 1000,
      maxStarting: 1,
    },
    log: silentLog,
    timers: systemTimers,
    cacheDirectory,
    homeDirectory: '/home/nobody',
  });
  try {
    return await sandbox.run(aRun({ stdin: 'through' }));
  } catch (error) {
    return error;
  } finally {
    await sandbox.close();
  }
}

/** Without a cgroup is what a plain user gets: there the first way is that already. */
const ways = [
  { name: 'bubblewrap', message: /cgroup|watchdog/, left: canBeLeftOut },
  {
    name: 'bubblewrap without a cgroup',
    kinds: ['watchdog'] as const,
    message: /watchdog/,
    left: sampleSeeded(canBeLeftOut, 8, 3),
  },
].slice(0, isCountedByKernel ? 2 : 1);

// Needs bubblewrap; in CI it must work.
describe.skipIf(bubblewrapMissing).each(ways)(
  `the protections of $name${whyNoBubblewrap}`,
  ({ kinds, message, left: leftOut }) => {
    it('are all held, and the policy allows it', async () => {
      const driver = aDriver([], kinds);
      const report = await driver.probe();
      expect(report).toMatchObject({ driver: 'bubblewrap', state: 'ready' });
      expect(report.message).toMatch(message);
      expect(report.protections.map(({ protection }) => protection)).toEqual(protections);
      expect(notHeld(report.protections)).toEqual([]);
      expect(judge(report, 'standard')).toEqual({ kind: 'allowed' });
      driver.probe = () => Promise.resolve(report);
      expect(await runOn(driver)).toMatchObject({ status: 'exited', exitCode: 0 });
    });

    it('are not tried again by the next process, unless bwrap is left something out', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'sandbox-probe-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      expect(await runOn(aDriver([], kinds), folder)).toMatchObject({ status: 'exited' });
      const next = aDriver([], kinds);
      next.probe = () => Promise.reject(new Error('the canaries ran again'));
      expect(await runOn(next, folder)).toMatchObject({ status: 'exited' });
      const weaker = aDriver(['network'], kinds);
      weaker.probe = () => Promise.reject(new Error('the canaries ran again'));
      expect(await runOn(weaker, folder)).toMatchObject({ message: 'the canaries ran again' });
    });

    it.each(leftOut)('without %s are named by the probe, and nothing is run', async (left) => {
      const driver = aDriver([left], kinds);
      const report = await driver.probe();
      expect(report.state).toBe('ready');
      const row = report.protections.find(({ protection }) => protection === left);
      expect(row?.holder).toBe('none');
      expect(row?.evidence).not.toContain('could not be run');
      if (!coveredByOthers.includes(left)) expect(row?.evidence).not.toContain('another layer');
      const expected = [left, ...(mayBeLost[left] ?? [])];
      expect(notHeld(report.protections).filter((lost) => !expected.includes(lost))).toEqual([]);
      driver.probe = () => Promise.resolve(report);
      expect(await runOn(driver)).toMatchObject({
        code: 'sandbox.refused_by_policy',
        message: expect.stringContaining(`${left} is not held`),
      });
    });
  },
);
