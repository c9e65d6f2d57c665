import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CgroupControl,
  findGroups,
  isOwnerDead,
  newGroupName,
  ownerOfGroup,
} from './cgroup-control.ts';
import { CgroupGroup } from './cgroup-group.ts';
import { makeV1Cgroup, makeV2Cgroup } from './cgroup-versions.ts';
import { chooseResourceControl } from './choose-resource-control.ts';
import { readProcessStat } from './process-stat.ts';
import { killAtLimit, someLimits } from '../../../testkit/sandbox/resources/start-member.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cgroups-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('control by cgroups', () => {
  it('leaves no folder when the limits of a new group cannot be set', async () => {
    const control = new CgroupControl({
      kind: 'cgroup-v2',
      make: (name) => makeV2Cgroup(folder, name),
      roots: [folder],
      holdsCpuRate: true,
    });
    await expect(control.open(someLimits())).rejects.toThrow('ENOENT');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('tries to remove a group again that would not go when it was closed', async () => {
    const control = new CgroupControl({
      kind: 'cgroup-v2',
      make: async (name) => ({
        ...(await makeV2Cgroup(folder, name)),
        writeLimits: () => {},
      }),
      roots: [],
      holdsCpuRate: false,
    });
    expect(control.holder('cpu-rate')).toBe('supervisor');
    const group = await control.open(someLimits());
    const [name = ''] = readdirSync(folder);
    mkdirSync(join(folder, name, 'busy'));
    await group.close();
    expect(existsSync(join(folder, name))).toBe(true);
    rmdirSync(join(folder, name, 'busy'));
    await control.sweep();
    expect(existsSync(join(folder, name))).toBe(false);
  });

  it('removes a group of another process namespace once it has long been empty', async () => {
    const control = new CgroupControl({
      kind: 'cgroup-v2',
      make: (name) => makeV2Cgroup(folder, name),
      roots: [folder],
      holdsCpuRate: true,
    });
    const owner = { namespace: '1', pid: 2 ** 22, startedAt: '1' };
    const [young, empty, busy] = [1, 2, 3].map(() => join(folder, newGroupName(owner)));
    for (const path of [young, empty, `${busy}/member`]) mkdirSync(path ?? '', { recursive: true });
    const anHourAgo = new Date(Date.now() - 3_600_000);
    for (const path of [empty, busy]) utimesSync(path ?? '', anHourAgo, anHourAgo);
    expect(await control.sweep()).toBe(1);
    expect([young, empty, busy].map((path) => existsSync(path ?? ''))).toEqual([true, false, true]);
  });

  it('makes all folders of a group or none', async () => {
    const bases = { memory: folder, pids: join(folder, 'missing'), cpu: folder, cpuacct: folder };
    await expect(makeV1Cgroup(bases, 'one')).rejects.toThrow('ENOENT');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('gives way to the watchdog where no cgroups are to be seen', async () => {
    const control = await chooseResourceControl({ self: folder });
    expect(control.kind).toBe('watchdog');
  });
});

describe('the groups on a machine', () => {
  it('are found wherever they stand, the folders of one group together', () => {
    const [near, deep] = [newGroupName(), newGroupName()];
    for (const path of [`a/${near}`, `b/user.slice/${near}`, `b/x/y/z/${deep}/inner`]) {
      mkdirSync(join(folder, path), { recursive: true });
    }
    expect(findGroups([join(folder, 'a'), join(folder, 'b'), join(folder, 'none')])).toEqual([
      {
        owner: ownerOfGroup(near),
        folders: [join(folder, 'a', near), join(folder, 'b/user.slice', near)],
      },
      { owner: ownerOfGroup(deep), folders: [join(folder, 'b/x/y/z', deep)] },
    ]);
  });
});

describe('what the kernel tells by itself', () => {
  it('is heard at once, without waiting for a poll', async () => {
    const cgroup = await makeV2Cgroup(folder, 'one');
    const write = (file: string, text: string): void =>
      writeFileSync(join(folder, 'one', file), text);
    write('memory.events', 'oom_kill 0\n');
    write('pids.events', 'max 0\n');
    write('cpu.stat', 'usage_usec 0\n');
    write('memory.peak', '0\n');
    const group = new CgroupGroup(cgroup, someLimits(), { pollMs: 600_000, onLeft: () => {} });
    const limit = killAtLimit(group);
    write('pids.events', 'max 1\n');
    expect(await limit).toBe('pids');
  });
});

// What it looks at only Linux has: /proc, and the tools of GNU.
describe.skipIf(process.platform !== 'linux')('the name of a group', () => {
  it('tells its owner, who lives', () => {
    const owner = ownerOfGroup(newGroupName());
    expect(owner?.pid).toBe(process.pid);
    expect(owner && isOwnerDead(owner)).toBe(false);
  });

  it('never is the same twice', () => {
    expect(newGroupName()).not.toBe(newGroupName());
  });

  it('is recognised as dead once its owner is, and when its pid belongs to somebody later', async () => {
    const owner = ownerOfGroup(newGroupName());
    const child = spawn('/bin/sleep', ['60']);
    const pid = child.pid ?? 0;
    const startedAt = readProcessStat(pid)?.startedAt ?? '';
    const namespace = owner?.namespace ?? '';
    expect(isOwnerDead({ namespace, pid, startedAt })).toBe(false);
    expect(isOwnerDead({ namespace, pid, startedAt: '1' })).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isOwnerDead({ namespace, pid, startedAt })).toBe(true);
  });

  it('is never judged from another process namespace, where the pid means somebody else', () => {
    expect(isOwnerDead({ namespace: '1', pid: 2 ** 22, startedAt: '1' })).toBe(false);
  });

  it.each(['user.slice', 'tutti-self', 'tutti-1-2-3-xyz', 'tutti-1-2-3-0123456789ab.scope'])(
    'is not %s',
    (name) => {
      expect(ownerOfGroup(name)).toBeUndefined();
    },
  );
});
