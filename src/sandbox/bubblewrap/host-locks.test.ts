import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HostLocks } from './host-locks.ts';

/** A process that starts another one, which keeps a file locked; with the device of the file. */
async function aLocker(command: string): Promise<{ pid: number; device: number; inode: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'host-locks-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const child = spawn('/bin/sh', ['-c', `${command}; echo up; exec sleep 60`, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const { dev: device, ino: inode } = statSync(file);
  return { pid: child.pid ?? 0, device, inode };
}

function isNoticed(locks: HostLocks): boolean {
  return Array.from({ length: 10 }, () => locks.look()).includes(true);
}

/** The lock is that of a program that has ended, and the shell keeps the file open. */
const byTheDead = 'exec 9<"$0"; flock 9';

// Needs flock of util-linux, and what only Linux has.
describe.skipIf(!existsSync('/usr/bin/flock'))('locks on files of the host', () => {
  it('are noticed when they are kept, also after the end of who locked', async (context) => {
    const { pid, inode } = await aLocker(byTheDead);
    const isListed = readFileSync('/proc/locks', 'utf8').includes(`:${inode} `);
    context.skip(!isListed, 'a kernel lists no locks of the dead inside a PID namespace');
    expect(isNoticed(new HostLocks(pid, []))).toBe(true);
  });

  it('are not noticed at the first look: tools lock files for a moment', async () => {
    const { pid } = await aLocker(byTheDead);
    expect(new HostLocks(pid, []).look()).toBe(false);
  });

  it('may be on files of the sandbox itself, and those of others are not its own', async () => {
    const { pid, device } = await aLocker(byTheDead);
    expect(isNoticed(new HostLocks(pid, [device]))).toBe(false);
    const other = await aLocker('true');
    expect(isNoticed(new HostLocks(other.pid, []))).toBe(false);
  });
});
