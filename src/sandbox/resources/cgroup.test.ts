import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { chooseResourceControl } from './choose-resource-control.ts';
import type { ResourceControl } from './resource-control.ts';
import { describeResourceControl } from '../../../testkit/sandbox/resources/resource-control-suite.ts';
import {
  isAlive,
  someLimits,
  startMember,
} from '../../../testkit/sandbox/resources/start-member.ts';

const node = process.execPath;
const chooser = new URL('choose-resource-control.ts', import.meta.url).pathname;
const members = new URL('../../../testkit/sandbox/resources/start-member.ts', import.meta.url)
  .pathname;

/** A Tutti that dies with a program in a group: says where the group is and who is in it. */
const ownerText = `
import { chooseResourceControl } from '${chooser}';
import { someLimits, startMember } from '${members}';
const control = await chooseResourceControl({ kinds: [process.argv[1]] });
const group = await control.open(someLimits());
const member = startMember(group, ['/bin/sh', '-c', 'echo in; exec sleep 60']);
member.child.stdout.once('data', () => {
  console.log(JSON.stringify({ joinFiles: group.joinFiles, pid: member.pid }));
});
setInterval(() => {}, 1000);
`;

for (const kind of ['cgroup-v1', 'cgroup-v2'] as const) {
  const control = await chooseResourceControl({ kinds: [kind] });
  const reason =
    control.kind === kind ? '' : ` (skipped: this machine does not let us write ${kind})`;
  // The title of the suite says why it is skipped.
  describe.skipIf(control.kind !== kind)(`${kind}${reason}`, () => {
    describeResourceControl(control);
    describeKernelLimits(control);
    describeSweep(control);
  });
}

function describeKernelLimits(control: ResourceControl): void {
  it('lets the kernel hold memory, processes and the CPU rate', () => {
    expect(control.holder('memory')).toBe('kernel');
    expect(control.holder('pids')).toBe('kernel');
    expect(control.holder('cpu-rate')).toBe('kernel');
    expect(control.holder('cpu-time')).toBe('supervisor');
    expect(control.fix).toBeUndefined();
  });

  it('slows a program down to the share of a processor it may use', async () => {
    const group = await control.open(someLimits({ cpus: 0.2, memoryBytes: 512 * 1024 * 1024 }));
    const busyForOneSecond = 'const end = Date.now() + 1000; while (Date.now() < end);';
    const member = startMember(group, [node, '-e', busyForOneSecond]);
    expect(await member.exited).toEqual({ exitCode: 0, signal: null });
    // Starting takes its share as well: half a second in all is far from what it would take unhindered.
    const { cpuMs } = await group.usage();
    await group.close();
    expect(cpuMs).toBeGreaterThan(50);
    expect(cpuMs).toBeLessThan(700);
  });

  it('counts the memory of all processes of a program together', async () => {
    const group = await control.open(someLimits({ memoryBytes: 256 * 1024 * 1024 }));
    const holds = `${node} -e 'globalThis.held = Buffer.alloc(150 << 20, 1); setTimeout(() => {}, 8000)'`;
    const member = startMember(group, ['/bin/sh', '-c', `${holds} & ${holds} & wait`]);
    const reason = await new Promise((resolve) => {
      group.watch(resolve);
    });
    group.kill();
    await member.exited;
    await group.close();
    expect(reason).toBe('memory');
  });

  it('removes the folders of a group when it is closed, with members that still run', async () => {
    const group = await control.open(someLimits());
    const folders = group.joinFiles.map((file) => dirname(file));
    const member = startMember(group, ['/bin/sleep', '60']);
    await expect.poll(() => folders.every((folder) => existsSync(folder))).toBe(true);
    await group.close();
    expect((await member.exited).signal ?? 'could not join').toMatch(/SIGKILL|could not join/);
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
  });

  it('refuses who comes to join a group that is closed', async () => {
    const group = await control.open(someLimits());
    await group.close();
    const member = startMember(group, ['/bin/true']);
    expect((await member.exited).exitCode).not.toBe(0);
  });
}

function describeSweep(control: ResourceControl): void {
  const owners: { kill(signal: 'SIGKILL'): boolean }[] = [];
  const startOwner = async (): Promise<Owner> => {
    const args = ['--input-type=module', '-e', ownerText, control.kind];
    const owner = spawn(node, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    owners.push(owner);
    const [line] = await once(owner.stdout, 'data');
    const told: { joinFiles: string[]; pid: number } = JSON.parse(String(line));
    const die = async (): Promise<void> => {
      owner.kill('SIGKILL');
      await once(owner, 'exit');
    };
    return { folders: told.joinFiles.map((file) => dirname(file)), memberPid: told.pid, die };
  };

  afterEach(async () => {
    for (const owner of owners.splice(0)) owner.kill('SIGKILL');
    await control.sweep();
  });

  it('kills and removes the groups of a Tutti that was killed, and leaves those of one that lives', async () => {
    const [dead, living] = await Promise.all([startOwner(), startOwner()]);
    const own = await control.open(someLimits());
    await dead.die();
    expect(isAlive(dead.memberPid)).toBe(true);

    expect(await control.sweep()).toBeGreaterThanOrEqual(1);

    await expect.poll(() => isAlive(dead.memberPid)).toBe(false);
    expect(dead.folders.filter((folder) => existsSync(folder))).toEqual([]);
    expect(isAlive(living.memberPid)).toBe(true);
    expect(living.folders.filter((folder) => !existsSync(folder))).toEqual([]);
    expect(own.joinFiles.filter((file) => !existsSync(file))).toEqual([]);
    await own.close();
  });
}

interface Owner {
  readonly folders: readonly string[];
  readonly memberPid: number;
  die(): Promise<void>;
}
