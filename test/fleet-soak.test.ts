import { expect, it } from 'vitest';
import { soak } from '../bench/gateway/soak.ts';
import { isProof } from './support/sample.ts';

/** `make soak` runs the full length: a thousand calls a second for ten minutes. */
const seconds = isProof ? 60 : 10;
const rate = 200;
/** Whatever leaks per call would pass it many times over in the full length; a warm process stays far below. */
const maxMemoryMb = 300;

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
