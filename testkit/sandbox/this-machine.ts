import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestRunner } from 'vitest';
import { createProcessOwner, silentLog } from '../../src/kernel/index.ts';
import { createBubblewrapDriver } from '../../src/sandbox/bubblewrap/index.ts';
import type { SandboxDriver, Toolchain } from '../../src/sandbox/driver.ts';
import { SandboxNotStartedError, ToolchainMissingError } from '../../src/sandbox/errors.ts';
import { defaultLimits } from '../../src/sandbox/limits.ts';
import { chooseResourceControl } from '../../src/sandbox/resources/choose-resource-control.ts';
import { isCi } from '../sample.ts';

/** Why tests that start sandboxes are skipped here. In CI sandboxes must work. */
const obstacle = isCi ? undefined : await findObstacle();

export const bubblewrapMissing = obstacle !== undefined;

/** For the name of what is skipped; empty where bubblewrap works. */
export const whyNoBubblewrap = bubblewrapMissing ? ` (skipped: ${obstacle})` : '';

/** Without a cgroup a supervisor counts memory and processes from time to time, and misses what is over between two counts. */
export const isCountedByKernel =
  !bubblewrapMissing && (await chooseResourceControl()).holder('pids') === 'kernel';

export const whyNotCounted = isCountedByKernel
  ? ''
  : ' (skipped: no cgroup counts memory and processes here)';

/** The toolchain; the running test is skipped where it is not installed. */
export async function toolchainOrSkip(
  driver: Pick<SandboxDriver, 'findToolchain'>,
  name: string,
): Promise<Toolchain> {
  try {
    return await driver.findToolchain(name);
  } catch (error) {
    if (isCi || !(error instanceof ToolchainMissingError)) throw error;
    TestRunner.getCurrentTest()?.context.skip(`${name} is not installed on this machine`);
    throw error;
  }
}

/** Why no sandbox can be started here; undefined where one was. */
async function findObstacle(): Promise<string | undefined> {
  const runDirectory = mkdtempSync(join(tmpdir(), 'sandbox-trial-'));
  const owner = createProcessOwner({ runDirectory, log: silentLog });
  const driver = createBubblewrapDriver({ owner, log: silentLog });
  try {
    const toolchain = await driver.findToolchain('shell');
    const shape = { toolchain, boot: 'command', mounts: [], limits: defaultLimits } as const;
    await (await driver.prepare(shape)).dispose();
    return undefined;
  } catch (error) {
    if (error instanceof SandboxNotStartedError) return String(error.details['reason']);
    throw error;
  } finally {
    await driver.close();
    await owner.close();
    rmSync(runDirectory, { recursive: true, force: true });
  }
}
