import { expect, it } from 'vitest';
import { soak } from '../bench/gateway/soak.ts';
import { isProof } from '../testkit/sample.ts';

/** `make soak` runs the full length: a thousand calls a second for ten minutes. */
const seconds = isProof ? 60 : 10;
const rate = 200;
/** The full length levelled off below 340 MB; a short one stays below that unless something grows with every call. */
const maxMemoryMb = 340;

// Memory is read from /proc.
it.skipIf(process.platform !== 'linux')(
  'a steady load through serve, traced, ends without an error and with bounded memory',
  { timeout: seconds * 1_000 + 60_000 },
  async () => {
    const { calls, errors, memoryMb } = await soak({ seconds, rate });
    expect(calls).toBeGreaterThan((seconds * rate) / 2);
    expect(errors).toBe(0);
    expect(Math.max(...memoryMb)).toBeLessThan(maxMemoryMb);
  },
);
