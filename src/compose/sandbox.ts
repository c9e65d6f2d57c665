import { join } from 'node:path';
import type { Settings } from '../config/index.ts';
import type { Sandbox, SandboxLimits } from '../contract/sandbox/index.ts';
import { parseSize } from '../contract/settings/index.ts';
import { createProcessOwner, lazy, systemTimers, type Log } from '../kernel/index.ts';
import type { PoolOptions } from '../sandbox/index.ts';
import { lowerOf } from '../contract/sandbox/index.ts';
import { surroundingsOf, type SettingsRequest } from './settings.ts';

interface SandboxParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly request: SettingsRequest;
}

/** The sandbox of this process: nothing of it is loaded before it is asked for. */
export interface SandboxHere {
  readonly get: () => Promise<Sandbox>;
  /** Undefined while none was asked for. */
  readonly opened: () => Promise<Sandbox | undefined>;
  /** Programs come one after the other from now on: sandboxes may be started in advance. */
  readonly serve: () => void;
  readonly close: () => Promise<void>;
}

export function sandboxHere(parts: SandboxParts): SandboxHere {
  let isServing = false;
  const open = lazy(() => openHere(parts, isServing));
  return {
    get: async () => (await open()).sandbox,
    opened: async () => (await open.opened())?.sandbox,
    serve: () => {
      isServing = true;
    },
    close: async () => (await open.opened())?.close(),
  };
}

interface OpenedSandbox {
  readonly sandbox: Sandbox;
  close(): Promise<void>;
}

async function openHere(parts: SandboxParts, isServing: boolean): Promise<OpenedSandbox> {
  const { settings, request } = parts;
  const log = parts.log.child({ room: 'sandbox' });
  const [{ openSandbox }, { driversHere }] = await Promise.all([
    import('../sandbox/index.ts'),
    import('./sandbox-drivers.ts'),
  ]);
  const runDirectory = join(settings.home, 'run', 'programs');
  const owner = createProcessOwner({ runDirectory, log, maxPrograms });
  const around = surroundingsOf(request);
  const sandbox = openSandbox({
    drivers: driversHere({ settings: settings.sandbox, home: settings.home, around, owner, log }),
    wanted: settings.sandbox.driver,
    policy: settings.sandbox.policy,
    ceilings: ceilingsOf(settings),
    pool: poolOptions(settings, isServing),
    log,
    timers: systemTimers,
    cacheDirectory: join(settings.home, 'sandbox'),
    homeDirectory: around.homeDirectory,
  });
  return {
    sandbox,
    async close() {
      await sandbox.close();
      await owner.close();
    },
  };
}

/** As many as may run and wait for all languages, twice: a sandbox is replaced before it is gone. */
const maxPrograms = 4_000;
const maxIdleMs = 10 * 60_000;
/** More at once would slow down the programs that run. */
const maxStarting = 2;

function poolOptions({ sandbox, performance }: Settings, isServing: boolean): PoolOptions {
  const { max_running, pool } = sandbox;
  return {
    warm: isServing && pool.enabled,
    maxRunning: max_running,
    maxWaiting: performance.max_waiting_requests,
    maxIdleMemoryBytes: bytesOf(pool.max_memory),
    maxIdlePerShape: pool.max_idle,
    maxIdleMs,
    maxStarting,
  };
}

/** What a run gets that names no limits: never more than it may have. */
export function defaultLimitsOf(settings: Settings): SandboxLimits {
  return lowerOf(limitsOf(settings.sandbox.limits), ceilingsOf(settings));
}

/** What no run may exceed. */
export function ceilingsOf({ sandbox }: Settings): SandboxLimits {
  return limitsOf(sandbox.ceilings);
}

function limitsOf(limits: Settings['sandbox']['limits']): SandboxLimits {
  return {
    wallMs: limits.wall_ms,
    cpuMs: limits.cpu_ms,
    cpus: limits.cpus,
    memoryBytes: bytesOf(limits.memory),
    pids: limits.pids,
    diskBytes: bytesOf(limits.disk),
    openFiles: limits.open_files,
    outputBytes: bytesOf(limits.output),
  };
}

/** The settings hold sizes that were checked, so there is always a number. */
function bytesOf(size: string): number {
  return parseSize(size) ?? 0;
}
