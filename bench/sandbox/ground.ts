import { join } from 'node:path';
import type { Sandbox } from '../../src/contract/sandbox/index.ts';
import { createProcessOwner, silentLog, systemTimers } from '../../src/kernel/index.ts';
import { createBubblewrapDriver } from '../../src/sandbox/bubblewrap/index.ts';
import { openSandbox, type SandboxDriver } from '../../src/sandbox/index.ts';
import { startDocker } from '../../test/support/docker.ts';
import type { Language } from './first-output.ts';

/** What all measurements stand on. */
export interface Ground {
  /** Holds the trivial programs. */
  readonly folder: string;
  readonly driver: SandboxDriver;
  /** As a server has it: with sandboxes started in advance. */
  readonly sandbox: Sandbox;
  /** The interpreters the sandbox uses, for everybody else to use too. */
  readonly programs: Readonly<Record<Language, string>>;
  /** `docker run` of an image with python3 and node; undefined where no engine can be started. */
  readonly dockerRun: readonly string[] | undefined;
  /** What a reader of the results has to know. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}

export async function openGround(folder: string): Promise<Ground> {
  const owner = createProcessOwner({ runDirectory: join(folder, 'run'), log: silentLog });
  const driver = createBubblewrapDriver({ owner, log: silentLog });
  const sandbox = openSandbox({
    drivers: [driver],
    wanted: 'auto',
    policy: 'standard',
    pool: {
      warm: true,
      maxRunning: 8,
      maxWaiting: 64,
      maxIdleMemoryBytes: 1024 * 1024 * 1024,
      maxIdlePerShape: 8,
      maxIdleMs: 600_000,
      maxStarting: 2,
    },
    log: silentLog,
    timers: systemTimers,
    cacheDirectory: null,
    homeDirectory: folder,
  });
  const { program: python } = await driver.findToolchain('python');
  const docker = await startDocker();
  return {
    folder,
    driver,
    sandbox,
    programs: { python, node: process.execPath },
    dockerRun:
      docker.kind === 'ready'
        ? [
            'docker',
            '--host',
            `unix://${docker.docker.socket}`,
            'run',
            ...runOptions,
            docker.docker.image,
          ]
        : undefined,
    notes: docker.kind === 'skipped' ? [`\`docker run\` was not measured: ${docker.reason}`] : [],
    close: async () => {
      await sandbox.close();
      await driver.close();
      await owner.close();
      if (docker.kind === 'ready') await docker.docker.stop();
    },
  };
}

const runOptions = ['--rm', '--interactive', '--network', 'none', '--read-only'];
