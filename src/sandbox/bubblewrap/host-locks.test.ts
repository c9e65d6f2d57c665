import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HostLocks, LockTable } from './host-locks.ts';

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

const table = new LockTable();

async function watchLocks({ pid }: Locker, ownDevices: readonly number[] = []): Promise<HostLocks> {
  return new HostLocks(pid, ownDevices, await table.read());
}

/** Looks eleven times, as if so much time passed in between. */
async function isNoticed(locks: HostLocks, pauseMs = 100): Promise<boolean> {
  const start = performance.now();
  for (let look = 1; look <= 11; look += 1) {
    if (locks.look(await table.read(), start + look * pauseMs)) return true;
  }
  return false;
}

/** The lock is that of a program that has ended, and the shell keeps the file open. */
const byTheDead = 'exec 9<"$0"; flock 9';

// Needs flock of util-linux, and what only Linux has.
describe.skipIf(!existsSync('/usr/bin/flock'))('locks on files of the host', () => {
  it('are noticed when they are kept, also after the end of who locked', async (context) => {
    const locker = await aLocker(byTheDead);
    const locks = await watchLocks(locker);
    await locker.lock();
    const isListed = readFileSync('/proc/locks', 'utf8').includes(`:${locker.inode} `);
    context.skip(!isListed, 'a kernel lists no locks of the dead inside a PID namespace');
    expect(await isNoticed(locks)).toBe(true);
  });

  it('are not noticed when they are kept for a moment, or at a single look: tools lock files, too', async () => {
    const locker = await aLocker(byTheDead);
    const locks = await watchLocks(locker);
    await locker.lock();
    expect(await isNoticed(locks, 10)).toBe(false);
    expect(locks.look(await table.read(), performance.now() + 60_000)).toBe(false);
  });

  it('are listed once for all who ask at the same time, and count as one look', async () => {
    expect(table.read()).toBe(table.read());
    const locker = await aLocker(byTheDead);
    const locks = await watchLocks(locker);
    await locker.lock();
    const lists = await Promise.all(Array.from({ length: 50 }, () => table.read()));
    expect(lists.map((list) => locks.look(list))).not.toContain(true);
  });

  it('may be on files of the sandbox itself', async () => {
    const locker = await aLocker(byTheDead);
    const locks = await watchLocks(locker, [locker.device]);
    await locker.lock();
    expect(await isNoticed(locks)).toBe(false);
  });

  it('that others keep are not its own, though it has the same file open', async () => {
    const other = await aLocker(byTheDead);
    const locker = await aLocker(`exec 9<"/proc/${other.pid}/fd/9"`);
    const locks = await watchLocks(locker);
    await other.lock();
    await locker.lock();
    expect(await isNoticed(locks)).toBe(false);
  });
});
