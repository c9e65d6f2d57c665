import { defaultLimits } from '../limits.ts';
import { CgroupControl } from './cgroup-control.ts';
import { findCgroupPlaces } from './cgroup-places.ts';
import { controlByV2, findV1Bases, makeV1Cgroup } from './cgroup-versions.ts';
import { describeFix, type ResourceControl, type ResourceControlKind } from './resource-control.ts';
import { WatchdogControl } from './watchdog.ts';

export interface ChooseOptions {
  /** Ways that may be chosen; all of them unless told. The watchdog is there in any case. */
  readonly kinds?: readonly ResourceControlKind[] | undefined;
  /** Stands for `/proc/self`. */
  readonly self?: string | undefined;
}

/** The best way this machine offers to this process. Each was tried with a real group before it is chosen. */
export async function chooseResourceControl(options: ChooseOptions = {}): Promise<ResourceControl> {
  const kinds = options.kinds ?? ['cgroup-v2', 'cgroup-v1', 'watchdog'];
  const places = findCgroupPlaces(options.self);
  const unified = places.find((place) => place.version === 2);
  const byV2 = unified && kinds.includes('cgroup-v2') ? controlByV2(unified) : undefined;
  if (byV2 && (await works(byV2))) return byV2;

  const bases = kinds.includes('cgroup-v1') ? findV1Bases(places) : undefined;
  const byV1 =
    bases &&
    new CgroupControl({
      kind: 'cgroup-v1',
      make: (name) => makeV1Cgroup(bases, name),
      roots: places.filter((place) => place.version === 1).map((place) => place.mountPoint),
      holdsCpuRate: true,
    });
  if (byV1 && (await works(byV1))) return byV1;
  return new WatchdogControl(describeFix());
}

async function works(control: ResourceControl): Promise<boolean> {
  try {
    const group = await control.open(defaultLimits);
    await group.close();
    return true;
  } catch {
    // Read-only, another user's, or without a controller: the next way is tried.
    return false;
  }
}
