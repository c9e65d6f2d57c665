import { describe, expect, it } from 'vitest';
import { CpuCount, memoryOfProcesses, type ProcessStat } from './process-stat.ts';

// What it looks at only Linux has: /proc, and the tools of GNU.
describe.skipIf(process.platform !== 'linux')('the memory of processes', () => {
  it('is that of each, and nothing without any', () => {
    const { bytes, commonBytes } = memoryOfProcesses([process.pid]);
    expect(bytes).toBeGreaterThan(10_000_000);
    // Page tables, at least.
    expect(commonBytes).toBeGreaterThan(10_000);
    expect(memoryOfProcesses([])).toEqual({ bytes: 0, commonBytes: 0 });
  });

  it('is told even when there is no time to measure it exactly, and then is not less', () => {
    const hurried = memoryOfProcesses([process.pid, process.ppid], 0).bytes;
    // Memory is given back between two looks.
    expect(hurried).toBeGreaterThan(
      0.9 * memoryOfProcesses([process.pid, process.ppid], 1_000).bytes,
    );
  });
});

/** A pid that no machine gives away. */
const firstPid = 2 ** 30;

function aProcess(number: number, change: Partial<ProcessStat> = {}): ProcessStat {
  return {
    pid: firstPid + number,
    isDead: false,
    isHeadless: false,
    isBusy: false,
    isStopped: false,
    threads: 1,
    cpuMs: 0,
    childrenCpuMs: 0,
    startedAt: '1',
    ...change,
  };
}

function countOf(...looks: readonly (readonly ProcessStat[])[]): number {
  const count = new CpuCount();
  for (const look of looks) count.add(look);
  return count.totalMs;
}

describe('CPU time of processes', () => {
  it('is theirs and that of children their parents waited for', () => {
    expect(
      countOf([aProcess(1, { cpuMs: 20, childrenCpuMs: 70 }), aProcess(2, { cpuMs: 5 })]),
    ).toBe(95);
  });

  it('includes children that ended and were not waited for', () => {
    const dead = aProcess(2, { cpuMs: 30, isDead: true });
    expect(countOf([aProcess(1), dead])).toBe(30);
  });

  it('is counted once for a child that is gone and was waited for', () => {
    const child = aProcess(2, { cpuMs: 30, isBusy: true });
    expect(countOf([aProcess(1), child], [aProcess(1, { childrenCpuMs: 30 })])).toBe(30);
  });

  it('is kept of a child that is gone and of which no parent was told', () => {
    expect(countOf([aProcess(1), aProcess(2, { cpuMs: 30 })], [aProcess(1)])).toBe(30);
  });

  it('is estimated for busy children that are gone before they have used a tick of the clock', () => {
    expect(countOf([aProcess(1), aProcess(2, { isBusy: true })], [aProcess(1)])).toBeGreaterThan(0);
    expect(countOf([aProcess(1), aProcess(2)], [aProcess(1)])).toBe(0);
  });
});
