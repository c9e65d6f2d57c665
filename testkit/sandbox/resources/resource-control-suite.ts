import { afterEach, expect, it } from 'vitest';
import type { SandboxLimits } from '../../../src/contract/sandbox/index.ts';
import type {
  ResourceControl,
  ResourceGroup,
} from '../../../src/sandbox/resources/resource-control.ts';
import {
  computeForASecond,
  firstLine,
  isAlive,
  killAtLimit,
  someLimits,
  startMember,
} from './start-member.ts';

const node = process.execPath;
const holdsMemory = 'globalThis.held = Buffer.alloc(400 << 20, 1); setInterval(() => {}, 1000)';
const startsMany = 'for i in $(seq 60); do sleep 60 & done; wait';
const startsOne = 'sleep 60 & echo $!; wait';
const isBusy = 'while :; do :; done';

/** What every way of limiting promises; run against each that this machine has. */
export function describeResourceControl(control: ResourceControl): void {
  const opened: ResourceGroup[] = [];
  const open = async (changes: Partial<SandboxLimits> = {}): Promise<ResourceGroup> => {
    const group = await control.open(someLimits(changes));
    opened.push(group);
    return group;
  };

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((group) => group.close()));
  });

  describeLimits(open);
  describeEnd(open);
}

/** For trials of CPU time: on a busy machine memory of other programs may be charged to these. */
const anyMemory = { memoryBytes: 2 ** 40 };

type Open = (changes?: Partial<SandboxLimits>) => Promise<ResourceGroup>;

function describeLimits(open: Open): void {
  it('tells that a program has used up its memory', async () => {
    const group = await open();
    const limit = killAtLimit(group);
    const member = startMember(group, [node, '-e', holdsMemory]);
    expect(await limit).toBe('memory');
    expect((await member.exited).signal).toBe('SIGKILL');
    expect(await group.reached()).toBe('memory');
  });

  it('tells that a program has started as many processes as it may', async () => {
    const group = await open();
    const limit = killAtLimit(group);
    const member = startMember(group, ['/bin/sh', '-c', startsMany]);
    expect(await limit).toBe('pids');
    await member.exited;
    expect(await group.reached()).toBe('pids');
  });

  it('tells that a program has used up its CPU time', async () => {
    const group = await open({ cpuMs: 200, ...anyMemory });
    const limit = killAtLimit(group);
    const member = startMember(group, ['/bin/sh', '-c', isBusy]);
    expect(await limit).toBe('cpu');
    expect((await member.exited).signal).toBe('SIGKILL');
    expect((await group.usage()).cpuMs).toBeGreaterThanOrEqual(200);
  });

  it('holds a program to the limits it was given last', async () => {
    const group = await open({ cpuMs: 60_000, ...anyMemory });
    await group.setLimits(someLimits({ cpuMs: 150, ...anyMemory }));
    const limit = killAtLimit(group);
    const member = startMember(group, ['/bin/sh', '-c', isBusy]);
    expect(await limit).toBe('cpu');
    await member.exited;
  });

  it('holds a program and all it starts to their share of the processors', async () => {
    const group = await open({ cpus: 0.2, ...anyMemory });
    const { cpuMs, mostMs } = await computeForASecond(group, 0.2);
    expect(cpuMs).toBeGreaterThan(50);
    expect(cpuMs).toBeLessThan(mostMs);
  });

  it('says nothing about a program that stays within its limits', async () => {
    const group = await open({ memoryBytes: 512 * 1024 * 1024 });
    const reasons: string[] = [];
    group.watch((reason) => reasons.push(reason));
    const member = startMember(group, [node, '-e', 'Buffer.alloc(64 << 20, 1)']);
    expect(await member.exited).toEqual({ exitCode: 0, signal: null });
    expect(await group.reached()).toBeNull();
    expect(reasons).toEqual([]);
  });
}

function describeEnd(open: Open): void {
  it('kills a program with everything it has started, and counts no limit for that', async () => {
    const group = await open();
    const member = startMember(group, ['/bin/sh', '-c', startsOne]);
    const child = Number(await firstLine(member));
    group.kill();
    expect((await member.exited).signal).toBe('SIGKILL');
    await expect.poll(() => isAlive(child)).toBe(false);
    expect(await group.reached()).toBeNull();
  });

  it('still tells what a program used after it is closed', async () => {
    const group = await open({ cpuMs: 100, ...anyMemory });
    const limit = killAtLimit(group);
    const member = startMember(group, ['/bin/sh', '-c', isBusy]);
    await limit;
    await member.exited;
    await group.close();
    const usage = await group.usage();
    expect(usage.cpuMs).toBeGreaterThanOrEqual(100);
    expect(usage.peakMemoryBytes).toBeGreaterThan(0);
    expect(await group.reached()).toBe('cpu');
  });

  it('does not mind being closed twice, or being closed before anybody has joined', async () => {
    const group = await open();
    await group.close();
    await group.close();
    expect(await group.reached()).toBeNull();
  });
}
