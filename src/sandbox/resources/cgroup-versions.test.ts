import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readKeyed, readWords, removeFolder, tryWriteValue } from './cgroup-folder.ts';
import { type CgroupCounts, CgroupGroup } from './cgroup-group.ts';
import { findCgroupPlaces, type CgroupPlace } from './cgroup-places.ts';
import { makeV2Cgroup, prepareV2Base } from './cgroup-versions.ts';
import { newGroupName } from './cgroup-control.ts';
import {
  computeForASecond,
  someLimits,
  startMember,
} from '../../../testkit/sandbox/resources/start-member.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cgroup-v2-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Files as a kernel shows them. */
function writeTree(base: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(base, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(base, name), text);
}

/** Empty, because a kernel replaces a value while a file keeps the end of a longer one. */
const limitFiles = {
  'memory.max': '',
  'memory.swap.max': '',
  'memory.oom.group': '',
  'pids.max': '',
  'cpu.max': '',
};
const countFiles = {
  'memory.events': 'low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 1\n',
  'pids.events': 'max 7\n',
  'cpu.stat': 'usage_usec 1234567\nuser_usec 1000000\nsystem_usec 234567\n',
  'memory.peak': '4096000\n',
};

describe('a group of cgroup version 2, on files written like those of a kernel', () => {
  it('writes each limit in the form the kernel takes', async () => {
    const cgroup = await makeV2Cgroup(folder, 'one');
    writeTree(join(folder, 'one'), limitFiles);
    cgroup.writeLimits(someLimits({ memoryBytes: 1_000_000, pids: 9, cpus: 0.25 }));
    const written = Object.fromEntries(
      Object.keys(limitFiles).map((name) => [
        name,
        readFileSync(join(folder, 'one', name), 'utf8'),
      ]),
    );
    expect(written).toEqual({
      'memory.max': '1000000',
      'memory.swap.max': '0',
      'memory.oom.group': '1',
      'pids.max': '9',
      'cpu.max': '25000 100000',
    });
  });

  it('reads what was killed, refused and used', async () => {
    const cgroup = await makeV2Cgroup(folder, 'one');
    writeTree(join(folder, 'one'), countFiles);
    expect(cgroup.read()).toEqual({
      oomKills: 2,
      refusedForks: 7,
      cpuMs: 1234.567,
      peakMemoryBytes: 4_096_000,
    });
  });

  it('takes the memory of the moment where the kernel tells no peak, and keeps the highest', async () => {
    const cgroup = await makeV2Cgroup(folder, 'one');
    const { 'memory.peak': _peak, ...older } = countFiles;
    writeTree(join(folder, 'one'), { ...older, 'memory.current': '900\n' });
    const group = new CgroupGroup(cgroup, someLimits(), {
      pollMs: 100,
      onLeft: () => {},
    });
    await group.usage();
    writeFileSync(join(folder, 'one', 'memory.current'), '300\n');
    expect((await group.usage()).peakMemoryBytes).toBe(900);
    expect(await group.reached()).toBe('memory');
  });

  it('knows nothing once the group is gone, and refuses limits that cannot be set', async () => {
    const cgroup = await makeV2Cgroup(folder, 'one');
    expect(cgroup.read()).toBeUndefined();
    expect(() => cgroup.writeLimits(someLimits())).toThrow(/ENOENT/);
  });
});

describe('the cgroup that groups of version 2 are made in, on written files', () => {
  const place = (): CgroupPlace => ({
    version: 2,
    controllers: [],
    mountPoint: folder,
    folder: join(folder, 'tutti.scope'),
  });
  const delegated = {
    'cgroup.controllers': 'cpu memory pids\n',
    'cgroup.subtree_control': '',
    'cgroup.procs': '',
  };

  it('is our own, with the controllers switched on', () => {
    writeTree(place().folder, delegated);
    const base = prepareV2Base(place(), { isRoot: false, wanted: [] });
    expect(base).toEqual({ folder: place().folder, controllers: ['memory', 'pids'] });
    expect(readWords(place().folder, 'cgroup.subtree_control')).toEqual(['+memory', '+pids']);
  });

  it('has the processor controller too where that is delegated', () => {
    writeTree(place().folder, delegated);
    const base = prepareV2Base(place(), { isRoot: false });
    expect(base?.controllers).toEqual(['memory', 'pids', 'cpu']);
  });

  it('is the one above when we stand in the leaf that a Tutti has made', () => {
    writeTree(place().folder, { ...delegated, 'cgroup.subtree_control': 'memory pids\n' });
    const leaf = { ...place(), folder: join(place().folder, 'tutti-self') };
    expect(prepareV2Base(leaf, { isRoot: false })?.folder).toBe(place().folder);
  });

  it('is taken without the processor controller, which is then missing from it', () => {
    writeTree(place().folder, { ...delegated, 'cgroup.controllers': 'memory pids\n' });
    expect(prepareV2Base(place(), { isRoot: false })?.controllers).toEqual(['memory', 'pids']);
  });

  it('is not to be had where memory is not delegated', () => {
    writeTree(place().folder, { ...delegated, 'cgroup.controllers': 'cpu pids\n' });
    expect(prepareV2Base(place(), { isRoot: false })).toBeUndefined();
  });

  it('is a folder of its own at the top when root stands among processes of others', () => {
    writeTree(folder, { ...delegated, 'cgroup.subtree_control': 'cpu memory pids\n' });
    writeTree(place().folder, { ...delegated, 'cgroup.controllers': '\n', 'cgroup.procs': '1\n' });
    writeTree(join(folder, 'tutti'), delegated);
    expect(prepareV2Base(place(), { isRoot: true })?.folder).toBe(join(folder, 'tutti'));
    expect(prepareV2Base(place(), { isRoot: false })).toBeUndefined();
  });
});

/** A hybrid machine has version 2 without memory and pids: enough for members, killing and removing. */
const unified = findCgroupPlaces().find((one) => one.version === 2);
const isWritable =
  unified !== undefined && process.getuid?.() === 0 && isFolderWritable(unified.folder);

// Only root may write there, and only where version 2 is mounted.
describe.skipIf(!isWritable)(
  `version 2 of this machine's kernel${isWritable ? '' : ' (skipped: not ours to write)'}`,
  () => {
    const base = unified?.folder ?? '';

    it('kills the members of a group and removes it', async () => {
      const cgroup = await makeV2Cgroup(base, newGroupName());
      const group = new CgroupGroup(cgroup, someLimits(), {
        pollMs: 100,
        onLeft: () => {},
      });
      const member = startMember(group, ['/bin/sleep', '60']);
      const folders = cgroup.folders;
      await expect
        .poll(() => folders.some((one) => readWords(one, 'cgroup.procs').includes(`${member.pid}`)))
        .toBe(true);
      expect(existsSync(join(folders[0] ?? '', 'cgroup.kill'))).toBe(true);
      await group.close();
      expect((await member.exited).signal).toBe('SIGKILL');
      expect(folders.some((one) => existsSync(one))).toBe(false);
    });

    it('stops and continues members to hold them to a rate where no controller does', async () => {
      const cgroup = await makeV2Cgroup(base, newGroupName(), false);
      const [made = ''] = cgroup.folders;
      // Without its controllers memory and processes are not counted here; CPU time always is.
      const read = (): CgroupCounts => ({
        oomKills: 0,
        refusedForks: 0,
        cpuMs: (readKeyed(made, 'cpu.stat', 'usage_usec') ?? 0) / 1e3,
        peakMemoryBytes: 0,
      });
      const limits = someLimits({ cpus: 0.2 });
      const room = { pollMs: 100, onLeft: () => {} };
      const group = new CgroupGroup({ ...cgroup, read }, limits, room);
      const { cpuMs, mostMs } = await computeForASecond(group, limits.cpus);
      expect(cpuMs).toBeGreaterThan(50);
      expect(cpuMs).toBeLessThan(mostMs);
      const frozen = startMember(group, ['/bin/sleep', '60']);
      await expect.poll(() => readWords(made, 'cgroup.procs')).toContain(`${frozen.pid}`);
      cgroup.setFrozen?.(true);
      await expect.poll(() => readKeyed(made, 'cgroup.events', 'frozen')).toBe(1);
      await group.close();
      expect((await frozen.exited).signal).toBe('SIGKILL');
      expect(existsSync(made)).toBe(false);
    });

    it('moves a Tutti out of its cgroup into a leaf, so that controllers can be switched on', async () => {
      await withOwnCgroup(base, async ({ own, controller }) => {
        const told = prepareInside({ own, controller, mountPoint: '/nowhere' });
        expect(told.base).toEqual({ folder: own, controllers: [controller] });
        expect(told.membership).toContain('/tutti-self');
        expect(readWords(own, 'cgroup.subtree_control')).toContain(controller);
      });
    });

    it('does not move anything when a process of somebody else stands in the cgroup', async () => {
      await withOwnCgroup(base, async ({ own, controller, addOther }) => {
        const other = addOther();
        const told = prepareInside({ own, controller, mountPoint: '/nowhere' });
        expect(told.base).toBeNull();
        expect(told.membership).not.toContain('/tutti-self');
        expect(readWords(own, 'cgroup.procs')).toEqual([`${other}`]);
      });
    });

    it('moves everybody when the cgroup is all that a container sees', async () => {
      await withOwnCgroup(base, async ({ own, controller, addOther }) => {
        const other = addOther();
        const told = prepareInside({ own, controller, mountPoint: own });
        expect(told.base).toEqual({ folder: own, controllers: [controller] });
        expect(readWords(join(own, 'tutti-self'), 'cgroup.procs')).toEqual([`${other}`]);
      });
    });
  },
);

interface OwnCgroup {
  readonly own: string;
  readonly controller: string;
  /** Puts a process that is not the Tutti's into it. */
  readonly addOther: () => number;
}

/** A cgroup as a service gets it, with a controller that could be switched on; gone afterwards. */
async function withOwnCgroup(
  base: string,
  use: (cgroup: OwnCgroup) => Promise<void>,
): Promise<void> {
  const controller = readWords(base, 'cgroup.controllers').find((name) => name !== 'cpuset');
  // A kernel without any has nothing that could be delegated.
  if (controller === undefined) return;
  const wasOn = readWords(base, 'cgroup.subtree_control').includes(controller);
  tryWriteValue(base, 'cgroup.subtree_control', `+${controller}`);
  const own = join(base, `${newGroupName()}.scope`);
  mkdirSync(own);
  const others: ChildProcess[] = [];
  const addOther = (): number => {
    const other = spawn('/bin/sleep', ['60']);
    others.push(other);
    tryWriteValue(own, 'cgroup.procs', other.pid ?? 0);
    return other.pid ?? 0;
  };
  try {
    await use({ own, controller, addOther });
  } finally {
    for (const other of others) other.kill('SIGKILL');
    await expect.poll(() => removeFolder(join(own, 'tutti-self'))).toBe(true);
    await expect.poll(() => removeFolder(own)).toBe(true);
    if (!wasOn) tryWriteValue(base, 'cgroup.subtree_control', `-${controller}`);
  }
}

function isFolderWritable(path: string): boolean {
  const trial = join(path, newGroupName());
  try {
    mkdirSync(trial);
    rmdirSync(trial);
    return true;
  } catch {
    return false;
  }
}

interface ToldInside {
  readonly base: unknown;
  readonly membership: string;
}

/** What a process that stands in `own` gets for a base. */
function prepareInside(inside: {
  readonly own: string;
  readonly controller: string;
  readonly mountPoint: string;
}): ToldInside {
  const { own, controller, mountPoint } = inside;
  const text = `
    import { readFileSync } from 'node:fs';
    import { prepareV2Base } from '${new URL('cgroup-versions.ts', import.meta.url).pathname}';
    const place = { version: 2, controllers: [], mountPoint: '${mountPoint}', folder: '${own}' };
    const options = { isRoot: false, needed: ['${controller}'], wanted: [] };
    const base = prepareV2Base(place, options) ?? null;
    console.log(JSON.stringify({ base, membership: readFileSync('/proc/self/cgroup', 'utf8') }));
  `;
  const joins = `echo $$ > '${own}/cgroup.procs' && exec "$@"`;
  const args = ['-c', joins, 'sh', process.execPath, '--input-type=module', '-e', text];
  const told: ToldInside = JSON.parse(spawnSync('/bin/sh', args, { encoding: 'utf8' }).stdout);
  return told;
}
