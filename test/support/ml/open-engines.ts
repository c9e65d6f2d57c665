import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../../../src/contract/sandbox/index.ts';
import {
  createProcessOwner,
  noFaults,
  silentLog,
  systemTimers,
  type FaultPoint,
} from '../../../src/kernel/index.ts';
import { createBubblewrapDriver } from '../../../src/sandbox/bubblewrap/index.ts';
import { openSandbox } from '../../../src/sandbox/index.ts';
import type { EngineContext } from '../../../src/toolbox/ml/engines/index.ts';

const mebibyte = 1024 * 1024;

/** What one sandbox may use in these tests: as the settings have it, but for the output. */
export const ceilings: EngineContext['ceilings'] = {
  wallMs: 30 * 60_000,
  cpuMs: 120 * 60_000,
  memoryBytes: 4096 * mebibyte,
  diskBytes: 1024 * mebibyte,
  outputBytes: 64 * mebibyte,
};

export interface OpenedEngines {
  readonly context: EngineContext;
  readonly sandbox: Sandbox;
  /** A folder that goes with it. */
  readonly folder: string;
  close(): Promise<void>;
}

/** A real sandbox for engines. */
export function openEngines(faults: FaultPoint = noFaults): OpenedEngines {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-ml-'));
  const owner = createProcessOwner({ runDirectory: join(folder, 'run'), log: silentLog });
  const driver = createBubblewrapDriver({ owner, log: silentLog });
  const sandbox = openSandbox({
    drivers: [driver],
    wanted: 'bubblewrap',
    policy: 'standard',
    pool: {
      warm: false,
      maxRunning: 2,
      maxWaiting: 8,
      maxIdleMs: 1000,
      maxIdleMemoryBytes: 0,
      maxIdlePerShape: 1,
      maxStarting: 1,
    },
    log: silentLog,
    timers: systemTimers,
    cacheDirectory: tmpdir(),
    homeDirectory: homedir(),
  });
  return {
    context: { sandbox: async () => sandbox, ceilings, version: '1', log: silentLog, faults },
    sandbox,
    folder,
    close: async () => {
      await sandbox.close();
      await owner.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
