import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findCgroupPlaces } from './cgroup-places.ts';
import { findV1Bases } from './cgroup-versions.ts';

let self = '';

beforeEach(() => {
  self = mkdtempSync(join(tmpdir(), 'self-'));
});

afterEach(() => {
  rmSync(self, { recursive: true, force: true });
});

function writeSelf(cgroup: string, mountinfo: string): void {
  writeFileSync(join(self, 'cgroup'), cgroup);
  writeFileSync(join(self, 'mountinfo'), mountinfo);
}

describe('the places of this process in cgroups', () => {
  it('are told for version 1 with controllers that share a mount', () => {
    writeSelf(
      '4:memory:/a/b\n3:cpu,cpuacct:/a\n2:pids:/\n1:name=systemd:/x\n0::/x\n',
      [
        '31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
        '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
        '33 31 0:30 / /sys/fs/cgroup/memory rw shared:3 - cgroup cgroup rw,memory',
        '34 31 0:31 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids',
        '35 31 0:32 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd',
        '36 31 0:33 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
      ].join('\n'),
    );
    const places = findCgroupPlaces(self);
    expect(findV1Bases(places)).toEqual({
      memory: '/sys/fs/cgroup/memory/a/b',
      pids: '/sys/fs/cgroup/pids',
      cpu: '/sys/fs/cgroup/cpu,cpuacct/a',
      cpuacct: '/sys/fs/cgroup/cpu,cpuacct/a',
    });
    expect(places.find((place) => place.version === 2)?.folder).toBe('/sys/fs/cgroup/unified/x');
  });

  it('are none for version 1 when a controller is not mounted', () => {
    writeSelf(
      '4:memory:/\n2:pids:/\n',
      [
        '33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
        '34 31 0:31 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids',
      ].join('\n'),
    );
    expect(findV1Bases(findCgroupPlaces(self))).toBeUndefined();
  });

  it('are below what a container sees, in whichever way its paths are told', () => {
    const mount = '29 25 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup rw';
    writeSelf('0::/docker/abc/app\n', mount);
    expect(findCgroupPlaces(self)[0]?.folder).toBe('/sys/fs/cgroup/app');
    writeSelf('0::/elsewhere\n', mount);
    expect(findCgroupPlaces(self)[0]?.folder).toBe('/sys/fs/cgroup');
  });

  it('keep spaces in the names of mount points', () => {
    writeSelf('0::/\n', String.raw`29 25 0:26 / /my\040cgroups rw - cgroup2 cgroup rw`);
    expect(findCgroupPlaces(self)[0]?.folder).toBe('/my cgroups');
  });

  it('are none where nothing is told', () => {
    expect(findCgroupPlaces(join(self, 'missing'))).toEqual([]);
  });
});
