import { describe, expect, it } from 'vitest';
import { memoryOfProcesses } from './process-memory.ts';

// What it looks at only Linux has: /proc, and the tools of GNU.
describe.skipIf(process.platform !== 'linux')('the memory of processes', () => {
  it('is that of each, and nothing without any', () => {
    expect(memoryOfProcesses([process.pid])).toBeGreaterThan(10_000_000);
    expect(memoryOfProcesses([])).toBe(0);
  });

  it('is told even when there is no time to measure it exactly, and then is not less', () => {
    const hurried = memoryOfProcesses([process.pid, process.ppid], 0);
    // Memory is given back between two looks.
    expect(hurried).toBeGreaterThan(0.9 * memoryOfProcesses([process.pid, process.ppid], 1_000));
  });
});
