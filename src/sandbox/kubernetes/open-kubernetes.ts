import type { SandboxDriver } from '../driver.ts';
import type { CanaryFacts } from '../probe/canary-facts.ts';
import { runCanaries } from '../probe/run-canaries.ts';
import { clusterApi, type ClusterApi } from './api-client.ts';
import { findClusterAccess, type AccessOptions } from './cluster-access.ts';
import { createKubernetesDriver } from './kubernetes-driver.ts';

export interface ClusterPlace extends AccessOptions {
  /** What toolchains without an image of their own run in. */
  readonly image: string;
  /** Images by the name of the toolchain. */
  readonly images: Readonly<Record<string, string>>;
  readonly runtimeClass?: string | undefined;
}

const facts: CanaryFacts = {
  // A node may hold the size of the work folder by throwing the pod out some time later.
  holders: { memory: 'kernel', 'cpu-rate': 'kernel', disk: 'supervisor' },
  declared: {
    'dies-with-us': {
      holder: 'supervisor',
      evidence:
        'the cluster ends every job at its deadline, and the next start removes what is left',
    },
  },
  // A pod that has to be scheduled first takes seconds where other sandboxes take milliseconds.
  maxCanaryMs: 60_000,
};

/** Jobs of the cluster that the files of this machine lead to; it is looked for when first needed. */
export function openKubernetes(place: ClusterPlace): SandboxDriver {
  let connecting: Promise<ClusterApi> | undefined;
  const connect = async (): Promise<ClusterApi> => {
    try {
      return clusterApi(await findClusterAccess(place));
    } catch (error) {
      // Somebody may be writing that file right now.
      connecting = undefined;
      throw error;
    }
  };
  return createKubernetesDriver({
    api: () => (connecting ??= connect()),
    pods: { runtimeClass: place.runtimeClass },
    images: { ...place.images, default: place.image },
    tryProtections: (driver, signal) => runCanaries(driver, facts, signal),
  });
}
