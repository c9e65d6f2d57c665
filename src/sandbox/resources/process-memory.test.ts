import { describe, expect, it } from 'vitest';
import { memoryOfProcesses } from './process-memory.ts';

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
