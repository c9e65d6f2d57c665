import { join, relative } from 'node:path';
import { readIfThere } from './process-stat.ts';

/** Where this process stands in one cgroup hierarchy. */
export interface CgroupPlace {
  readonly version: 1 | 2;
  /** Empty for version 2, which tells them in files. */
  readonly controllers: readonly string[];
  readonly mountPoint: string;
  /** Our own cgroup. */
  readonly folder: string;
}

/**
 * All hierarchies that `self` (stands for `/proc/self`) sees mounted, with the cgroup in each of
 * `member`: the same process, unless told.
 */
export function findCgroupPlaces(self = '/proc/self', member = self): CgroupPlace[] {
  const memberships = readMemberships(readIfThere(join(member, 'cgroup')) ?? '');
  return readMounts(readIfThere(join(self, 'mountinfo')) ?? '').flatMap((mount) => {
    const own = memberships.find((one) => isSameHierarchy(one, mount));
    return own === undefined
      ? []
      : [
          {
            version: mount.version,
            controllers: mount.version === 1 ? own.controllers : [],
            mountPoint: mount.mountPoint,
            folder: ownFolder(mount, own.path),
          },
        ];
  });
}

interface Membership {
  readonly controllers: readonly string[];
  readonly path: string;
}

/** Lines such as `4:cpu,cpuacct:/system.slice` and, for version 2, `0::/system.slice`. */
function readMemberships(text: string): Membership[] {
  return text.split('\n').flatMap((line) => {
    const [, controllers, ...path] = line.split(':');
    if (controllers === undefined || path.length === 0) return [];
    return [{ controllers: controllers.split(',').filter(Boolean), path: path.join(':') }];
  });
}

interface CgroupMount {
  readonly version: 1 | 2;
  /** The cgroup that is seen at the mount point. */
  readonly root: string;
  readonly mountPoint: string;
  readonly options: readonly string[];
}

/** Lines such as `35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory`. */
function readMounts(text: string): CgroupMount[] {
  return text.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', mountPoint = ''] = before.split(' ');
    const [type, , options = ''] = after.split(' ');
    if (type !== 'cgroup' && type !== 'cgroup2') return [];
    return [
      {
        version: type === 'cgroup2' ? 2 : 1,
        root: unescapeMount(root),
        mountPoint: unescapeMount(mountPoint),
        options: options.split(','),
      },
    ];
  });
}

/** The kernel writes spaces and the like in mount tables as octal numbers. */
function unescapeMount(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_all, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

function isSameHierarchy(one: Membership, mount: CgroupMount): boolean {
  if (mount.version === 2) return one.controllers.length === 0;
  return (
    one.controllers.length > 0 && one.controllers.every((name) => mount.options.includes(name))
  );
}

/** In a container the mount shows a part only, and our path may be told from the host's root. */
function ownFolder(mount: CgroupMount, path: string): string {
  const below = relative(mount.root, path);
  return below.startsWith('..') ? mount.mountPoint : join(mount.mountPoint, below);
}
