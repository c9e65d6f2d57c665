import { describe, expect, it } from 'vitest';
import { crashSupervisor } from './support/sandbox/crash-suite.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';
import { isProof } from '../testkit/sample.ts';

const sandboxes = isProof ? 100 : 20;
const warm = isProof ? 40 : 8;
const limitMs = 180_000;

// Needs bubblewrap; in CI it must work.
describe.skipIf(bubblewrapMissing)(`kill -9 of a supervisor of sandboxes${whyNoBubblewrap}`, () => {
  it(
    `leaves no process of ${sandboxes} running sandboxes after 2 s, and no cgroup, mount or folder after the next start`,
    { timeout: limitMs },
    async () => {
      expect(await crashSupervisor({ sandboxes, mode: 'running' })).toBe(sandboxes);
    },
  );

  it(
    `leaves nothing of ${warm} sandboxes that wait for a program`,
    { timeout: limitMs },
    async () => {
      expect(await crashSupervisor({ sandboxes: warm, mode: 'warm' })).toBe(warm);
    },
  );

  it('leaves nothing of sandboxes that were just being started', { timeout: limitMs }, async () => {
    let seen = 0;
    for (const killAfterMs of isProof ? [20, 50, 80, 110, 150, 200, 300, 500, 800] : [60, 200]) {
      seen += await crashSupervisor({ sandboxes: 50, mode: 'running', killAfterMs });
    }
    expect(seen).toBeGreaterThan(0);
  });
});
