import { join } from 'node:path';
import type { Settings, Surroundings } from '../config/index.ts';
import { lazy, lazyObject, type Log, type ProcessOwner } from '../kernel/index.ts';
import type { SandboxDriver } from '../sandbox/index.ts';

export interface DriverParts {
  readonly settings: Settings['sandbox'];
  readonly around: Surroundings;
  readonly owner: ProcessOwner;
  readonly log: Log;
  /** Where Tutti keeps its data. */
  readonly home: string;
}

/** The drivers that may work on this system, best first; each is loaded when it is tried. */
export function driversHere(parts: DriverParts): readonly SandboxDriver[] {
  const { platform } = parts.around;
  return [
    ...(platform === 'linux' ? [bubblewrap(parts)] : []),
    ...(platform === 'darwin' ? [seatbelt(parts)] : []),
    docker(parts),
    parts.settings.driver === 'kubernetes' ? kubernetes(parts) : unchosenCluster,
  ];
}

function bubblewrap({ owner, log }: DriverParts): SandboxDriver {
  return lazyDriver('bubblewrap', async () => {
    const { createBubblewrapDriver } = await import('../sandbox/bubblewrap/index.ts');
    return createBubblewrapDriver({ owner, log });
  });
}

function docker({ settings, around }: DriverParts): SandboxDriver {
  return lazyDriver('docker', async () => {
    const { createDockerDriver } = await import('../sandbox/docker/index.ts');
    return createDockerDriver({ env: around.env, ...settings.docker });
  });
}

function seatbelt({ owner, home }: DriverParts): SandboxDriver {
  return lazyDriver('seatbelt', async () => {
    const { createSeatbeltDriver } = await import('../sandbox/seatbelt/index.ts');
    return createSeatbeltDriver({ owner, folder: join(home, 'sandbox', 'work') });
  });
}

function kubernetes({ settings, around }: DriverParts): SandboxDriver {
  return lazyDriver('kubernetes', async () => {
    const { openKubernetes } = await import('../sandbox/kubernetes/index.ts');
    const { runtime_class: runtimeClass, ...place } = settings.kubernetes;
    return openKubernetes({ ...around, ...place, runtimeClass });
  });
}

/** Nothing is started in a cluster that was not chosen, not even a probe. */
const unchosenCluster = lazyDriver(
  'kubernetes',
  () => Promise.reject(new Error('no cluster was chosen')),
  {
    fingerprint: async () => undefined,
    probe: async () => ({
      driver: 'kubernetes',
      state: 'unavailable',
      message: 'not tried, because no cluster was chosen',
      fix: 'Set "sandbox.driver" to "kubernetes" to run programs in the cluster of your kubeconfig',
      protections: [],
    }),
  },
);

/** A driver whose code is loaded by the first call. */
function lazyDriver(
  name: string,
  load: () => Promise<SandboxDriver>,
  own: Partial<SandboxDriver> = {},
): SandboxDriver {
  return lazyObject<SandboxDriver>(lazy(load), { name, ...own });
}
