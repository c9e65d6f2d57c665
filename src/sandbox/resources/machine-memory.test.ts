import { describe, expect, it } from 'vitest';
import { hiddenCapacity, unattributedMemory, visibleTemporaryFiles } from './machine-memory.ts';

const meminfo = `MemTotal:       1000 kB
MemFree:         100 kB
Buffers:          20 kB
Cached:          200 kB
SwapCached:        5 kB
AnonPages:       300 kB
Shmem:            50 kB
SReclaimable:     25 kB
`;

describe('memory that no process shows', () => {
  it('is what is used beside private memory and caches; shared memory is part of it', () => {
    expect(unattributedMemory(meminfo)).toBe((1000 - 100 - 20 - 150 - 5 - 300 - 25) * 1024);
  });

  it('is not told where a part of it is not', () => {
    expect(unattributedMemory(meminfo.replace('AnonPages', 'Other'))).toBeUndefined();
    expect(unattributedMemory('')).toBeUndefined();
  });

  // What it looks at only Linux has.
  it.skipIf(process.platform !== 'linux')(
    'can be held by processes that are there, as far as they show it',
    () => {
      expect(hiddenCapacity([])).toBe(0);
      expect(hiddenCapacity([process.pid])).toBeGreaterThan(2 ** 20);
      expect(hiddenCapacity([2 ** 30])).toBe(Infinity);
      expect(visibleTemporaryFiles()).toBeGreaterThanOrEqual(0);
    },
  );
});
