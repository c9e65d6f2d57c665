import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bubblewrapMissing, whyNoBubblewrap } from '../../../testkit/sandbox/this-machine.ts';
import { chooseResourceControl } from './choose-resource-control.ts';
import { describeResourceControl } from '../../../testkit/sandbox/resources/resource-control-suite.ts';
import { findProcessTree, readProcessStat } from './process-stat.ts';
import {
  firstLine,
  killAtLimit,
  someLimits,
  startMember,
} from '../../../testkit/sandbox/resources/start-member.ts';

const enclosed = '--ro-bind / / --dev /dev --proc /proc --unshare-all --die-with-parent'.split(' ');

// What it looks at only Linux has: /proc, and the tools of GNU.
describe.skipIf(process.platform !== 'linux')('the watchdog', async () => {
  const control = await chooseResourceControl({ kinds: ['watchdog'] });

  describeResourceControl(control);

  it('says that it holds limits itself, and how the kernel would', () => {
    expect(control.kind).toBe('watchdog');
    expect(control.holder('memory')).toBe('supervisor');
    expect(control.holder('pids')).toBe('supervisor');
    expect(control.holder('cpu-time')).toBe('supervisor');
    expect(control.holder('cpu-rate')).toBe('supervisor');
    expect(control.fix).toBeTruthy();
  });

  it('leaves nothing that would have to be swept', async () => {
    expect(await control.sweep()).toBe(0);
  });

  it('does not continue what a program has stopped itself', async () => {
    const group = await control.open(someLimits({ cpus: 0.1 }));
    group.watch(() => {});
    const stopsOne = 'sleep 60 & kill -STOP $!; echo $!; while :; do :; done';
    const member = startMember(group, ['/bin/sh', '-c', stopsOne]);
    onTestFinished(() => group.close());
    const child = Number(await firstLine(member));
    const isStopped = (): boolean | undefined => readProcessStat(member.pid)?.isStopped;
    const often = { interval: 3, timeout: 10_000 };
    await expect.poll(isStopped, often).toBe(true);
    await expect.poll(isStopped, often).toBe(false);
    expect(readProcessStat(child)?.isStopped).toBe(true);
    await expect.poll(isStopped, often).toBe(true);
    await group.close();
    expect((await member.exited).signal).toBe('SIGKILL');
  });

  // What it looks at only Linux has: /proc, and the tools of GNU.
  it.skipIf(!existsSync('/usr/bin/python3'))(
    'counts a process whose first thread has ended',
    async () => {
      // 60 and 93 end just the thread that calls them.
      const headless = `import ctypes, os, threading, time
def work():
    held = bytearray(40 << 20); until = time.time() + 10
    while time.time() < until: pass
threading.Thread(target=work).start()
ctypes.CDLL(None).syscall({'x86_64': 60}.get(os.uname().machine, 93), 0)`;
      const run = async (changes: object): Promise<string> => {
        const group = await control.open(someLimits(changes));
        const limit = killAtLimit(group);
        const member = startMember(group, ['/usr/bin/python3', '-c', headless]);
        const reason = await limit;
        await member.exited;
        return reason;
      };
      // Memory of other programs may be charged to it on a busy machine.
      expect(await run({ cpuMs: 400, memoryBytes: 2 ** 40 })).toBe('cpu');
      expect(await run({ memoryBytes: 30 * 1024 * 1024 })).toBe('memory');
    },
  );

  // Needs bubblewrap; in CI it must work.
  it.skipIf(bubblewrapMissing)(
    `kills faster than it looks, however many there are${whyNoBubblewrap}`,
    async () => {
      const many = 'for i in $(seq 150); do sleep 60 & done; echo up; wait';
      const argv = ['/usr/bin/bwrap', ...enclosed, '--as-pid-1', '/bin/sh', '-c', many];
      const shares: number[] = [];
      // The best of several: a busy machine may let others run in the middle.
      while (shares.length < 6 && Math.min(...shares) >= 0.5) {
        const group = await control.open(someLimits({ pids: 300, memoryBytes: 2 ** 40 }));
        const member = startMember(group, argv);
        await firstLine(member);
        const [, first] = findProcessTree(member.pid, 2);
        const inside = first?.pid ?? 0;
        group.follow(inside);
        const lookMs = await timeOf(() => group.reached());
        shares.push((await timeOf(() => group.kill())) / lookMs);
        await member.exited;
        expect(readProcessStat(inside)?.isDead ?? true).toBe(true);
      }
      expect(Math.min(...shares)).toBeLessThan(0.5);
    },
  );

  it('names the processes when both they and their memory are over the limit', async () => {
    const group = await control.open(someLimits({ pids: 8, memoryBytes: 64 * 1024 * 1024 }));
    const many = 'for i in $(seq 20); do sleep 60 & done; echo up; wait';
    const member = startMember(group, ['/bin/sh', '-c', many]);
    await firstLine(member);
    group.follow(member.pid, () => 100_000_000);
    expect(await group.reached()).toBe('pids');
    await group.close();
    await member.exited;
  });

  it('counts files that are memory', async () => {
    const group = await control.open(someLimits({ memoryBytes: 64 * 1024 * 1024 }));
    const limit = killAtLimit(group);
    const member = startMember(group, ['/bin/sleep', '60']);
    group.follow(member.pid, () => 100_000_000);
    expect(await limit).toBe('memory');
    await member.exited;
    expect((await group.usage()).peakMemoryBytes).toBeGreaterThan(100_000_000);
  });
});

async function timeOf(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
