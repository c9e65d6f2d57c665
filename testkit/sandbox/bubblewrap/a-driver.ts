import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type {
  RunWatch,
  SandboxProgram,
  SandboxResult,
} from '../../../src/contract/sandbox/index.ts';
import { createProcessOwner, silentLog } from '../../../src/kernel/index.ts';
import { aDirectory } from '../../observe/a-directory.ts';
import { toolchainOrSkip } from '../this-machine.ts';
import type { PreparedSandbox, SandboxDriver, SandboxJob } from '../../../src/sandbox/driver.ts';
import { defaultLimits } from '../../../src/sandbox/limits.ts';
import {
  createBubblewrapDriver,
  type BubblewrapOptions,
} from '../../../src/sandbox/bubblewrap/bubblewrap-driver.ts';

export type DriverChanges = Partial<Omit<BubblewrapOptions, 'owner' | 'log'>>;

/** The real driver; it is closed when the running test has finished, and all it started is gone. */
export function aDriver(changes: DriverChanges = {}): SandboxDriver {
  const owner = createProcessOwner({ runDirectory: join(aDirectory(), 'run'), log: silentLog });
  const driver = createBubblewrapDriver({ owner, log: silentLog, ...changes });
  onTestFinished(async () => {
    await driver.close();
    await owner.close();
  });
  return driver;
}

const toolchainOf = { python: 'python', node: 'node', command: 'shell' } as const;

export type JobChanges = Partial<SandboxJob>;

export function aJob(program: SandboxProgram, changes: JobChanges = {}): SandboxJob {
  return {
    program,
    files: {},
    env: {},
    stdin: '',
    limits: defaultLimits,
    collect: null,
    ...changes,
  };
}

export async function prepareFor(driver: SandboxDriver, job: SandboxJob): Promise<PreparedSandbox> {
  const boot = job.program.kind;
  const toolchain = await toolchainOrSkip(driver, toolchainOf[boot]);
  return driver.prepare({ toolchain, boot, mounts: [], limits: job.limits });
}

export interface SeenRun extends Omit<SandboxResult, 'wasWarm' | 'stdout' | 'stderr'> {
  readonly stdout: string;
  readonly stderr: string;
}

/** Prepares and runs at once. */
export async function run(
  driver: SandboxDriver,
  job: SandboxJob,
  watch: RunWatch = {},
): Promise<SeenRun> {
  const sandbox = await prepareFor(driver, job);
  const result = await sandbox.run(job, watch);
  return {
    ...result,
    stdout: Buffer.from(result.stdout).toString(),
    stderr: Buffer.from(result.stderr).toString(),
  };
}

export function pythonJob(code: string, changes: JobChanges = {}): SandboxJob {
  const files = { 'main.py': code, ...changes.files };
  return aJob({ kind: 'python', main: 'main.py', args: [] }, { ...changes, files });
}

export function shellJob(script: string, changes: JobChanges = {}): SandboxJob {
  return aJob({ kind: 'command', argv: ['sh', '-c', script] }, changes);
}
