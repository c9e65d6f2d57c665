import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { startOfProcess } from './list-processes.ts';
import { isGone, ownIdentity } from './process-identity.ts';

describe('the identity of a process', () => {
  it('is the same whenever it is asked for, and its process lives', async () => {
    const own = await ownIdentity();
    expect(own).toEqual(await ownIdentity());
    expect(own.pid).toBe(process.pid);
    expect(await isGone(own)).toBe(false);
  });

  it('is gone when the process has ended, or another has its pid', async () => {
    const own = await ownIdentity();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const pid = child.pid ?? 0;
    const [machine] = own.processStart.split('|');
    const identity = { pid, processStart: `${machine}|${await startOfProcess(pid)}` };
    expect(await isGone(identity)).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await isGone(identity)).toBe(true);
    expect(await isGone({ ...own, processStart: `${own.processStart}0` })).toBe(true);
  });

  it('is never called gone where nobody here can know', async () => {
    expect(await isGone({ pid: 999_999_999, processStart: 'another machine|1' })).toBe(false);
    const [machine] = (await ownIdentity()).processStart.split('|');
    expect(await isGone({ pid: 999_999_999, processStart: `${machine}|` })).toBe(false);
    expect(await isGone({ pid: 999_999_999, processStart: '' })).toBe(false);
  });
});
