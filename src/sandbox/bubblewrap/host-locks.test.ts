import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HostLocks } from './host-locks.ts';

interface Locker {
  readonly pid: number;
  readonly device: number;
  readonly inode: number;
  /** Lets it run its command. */
  readonly lock: () => Promise<void>;
}

/** A process that runs a command of the shell, which finds a file in `$0`, and then waits. */
async function aLocker(command: string): Promise<Locker> {
  const folder = mkdtempSync(join(tmpdir(), 'host-locks-'));
  const file = join(folder, 'file');
  writeFileSync(file, 'x');
  const child = spawn('/bin/sh', ['-c', `read go; ${command}; echo up; exec sleep 60`, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const { dev: device, ino: inode } = statSync(file);
  const lock = async (): Promise<void> => {
    child.stdin.end('go\n');
    await once(child.stdout, 'data');
  };
  return { pid: child.pid ?? 0, device, inode, lock };
}

function isNoticed(locks: HostLocks): boolean {
  return Array.from({ length: 10 }, () => locks.look()).includes(true);
}

/** The lock is that of a program that has ended, and the shell keeps the file open. */
const byTheDead = 'exec 9<"$0"; flock 9';

// Needs flock of util-linux, and what only Linux has.
describe.skipIf(!existsSync('/usr/bin/flock'))('locks on files of the host', () => {
  it('are noticed when they are kept, also after the end of who locked', async (context) => {
    const { pid, inode, lock } = await aLocker(byTheDead);
    const locks = new HostLocks(pid, []);
    await lock();
    const isListed = readFileSync('/proc/locks', 'utf8').includes(`:${inode} `);
    context.skip(!isListed, 'a kernel lists no locks of the dead inside a PID namespace');
    expect(isNoticed(locks)).toBe(true);
  });

  it('are not noticed at the first look: tools lock files for a moment', async () => {
    const { pid, lock } = await aLocker(byTheDead);
    const locks = new HostLocks(pid, []);
    await lock();
    expect(locks.look()).toBe(false);
  });

  it('may be on files of the sandbox itself', async () => {
    const { pid, device, lock } = await aLocker(byTheDead);
    const locks = new HostLocks(pid, [device]);
    await lock();
    expect(isNoticed(locks)).toBe(false);
  });

  it('that others keep are not its own, though it has the same file open', async () => {
    const other = await aLocker(byTheDead);
    const { pid, lock } = await aLocker(`exec 9<"/proc/${other.pid}/fd/9"`);
    const locks = new HostLocks(pid, []);
    await other.lock();
    await lock();
    expect(isNoticed(locks)).toBe(false);
  });
});
