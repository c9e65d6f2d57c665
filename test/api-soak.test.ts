import { expect, it } from 'vitest';
import { soak } from '../bench/api/soak.ts';
import { isProof } from '../testkit/sample.ts';

const seconds = isProof ? 1_800 : 10;
const rate = isProof ? 100 : 40;
/** What a short run may take: everything is loaded, and nothing has grown yet. */
const maxMemoryMb = 450;

// Memory is read from /proc.
it.skipIf(process.platform !== 'linux')(
  'a mixed load on the API ends without an error and without growing memory',
  { timeout: seconds * 1_000 + 120_000 },
  async () => {
    const { requests, errors, errorTexts, memoryMb, slopeMbPerMinute } = await soak({
      seconds,
      rate,
    });
    expect(errorTexts).toEqual([]);
    expect(errors).toBe(0);
    expect(requests).toBeGreaterThan((seconds * rate) / 4);
    expect(Math.max(...memoryMb)).toBeLessThan(maxMemoryMb);
    // The first minutes fill caches: only a long run has a slope.
    if (isProof) expect(slopeMbPerMinute).toBeLessThan(1);
  },
);
