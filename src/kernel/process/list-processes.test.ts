import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  familyOf,
  listProcesses,
  measureFamily,
  parseCim,
  parsePs,
  type ProcessRow,
  psArguments,
  shareLooks,
} from './list-processes.ts';

const row = (pid: number, parent: number): ProcessRow => ({
  pid,
  parent,
  group: pid,
  startedAt: '1',
  memoryBytes: pid,
});

describe('the processes of this machine', () => {
  // Only Linux has /proc to compare with, and a minimal one has no ps.
  const canCompare = process.platform === 'linux' && spawnSync('ps').error === undefined;
  it.skipIf(!canCompare)('are the same from /proc and from ps', async () => {
    const listed = execFileSync('ps', psArguments, { encoding: 'utf8', env: { LC_ALL: 'C' } });
    const fromPs = parsePs(listed).find(({ pid }) => pid === process.pid);
    const fromProc = (await listProcesses()).find(({ pid }) => pid === process.pid);
    expect(fromPs).toMatchObject({ parent: process.ppid, group: fromProc?.group });
    expect(fromPs?.startedAt).toMatch(/^\w{3} \w{3} \d+ [\d:]+ \d{4}$/);
    expect(fromPs?.memoryBytes).toBeGreaterThan(10_000_000);
    expect(fromProc?.parent).toBe(process.ppid);
  });

  it('do not include those that are dead and not reaped', () => {
    const text = '  7  1  7 Z  0 Mon Nov 16 01:33:59 2026\n 8 1 8 Ss 12 Mon Nov 16 01:33:59 2026\n';
    expect(parsePs(text)).toEqual([
      { pid: 8, parent: 1, group: 8, startedAt: 'Mon Nov 16 01:33:59 2026', memoryBytes: 12_288 },
    ]);
  });

  it('are read on Windows from what its management interface prints', () => {
    expect(parseCim('4 0 1024 \r\n812 4 2048 134077\r\n')).toEqual([
      { pid: 812, parent: 4, group: 812, startedAt: '134077', memoryBytes: 2048 },
    ]);
  });

  it('are looked at once for all who ask at the same time, and anew for who asks later', async () => {
    let looks = 0;
    const look = shareLooks(async () => [row((looks += 1), 0)]);
    const together = await Promise.all([look(), look(), look()]);
    expect(together.map(([first]) => first?.pid)).toEqual([1, 1, 1]);
    expect((await look())[0]?.pid).toBe(2);
  });

  it('are looked at again after a look that failed', async () => {
    let looks = 0;
    const look = shareLooks(async () => {
      looks += 1;
      if (looks === 1) throw new Error('no ps here');
      return [];
    });
    await expect(look()).rejects.toThrow('no ps here');
    expect(await look()).toEqual([]);
  });
});

describe('the family of a process', () => {
  const rows = [row(9, 5), row(5, 2), row(2, 1), row(3, 2), row(4, 1)];

  it('is the process and all below it, in whatever order they are listed', async () => {
    expect(familyOf(2, rows).map(({ pid }) => pid)).toEqual([2, 5, 3, 9]);
    expect(await measureFamily(2, async () => rows)).toMatchObject({
      processes: 4,
      memoryBytes: 19,
    });
  });

  it('is nobody when the process is gone', async () => {
    expect(familyOf(77, rows)).toEqual([]);
    expect(await measureFamily(77, async () => rows)).toBe(null);
  });

  it('is found in a circle too, which a list made while pids are reused may hold', () => {
    expect(familyOf(1, [row(1, 2), row(2, 1)]).map(({ pid }) => pid)).toEqual([1, 2]);
  });
});
