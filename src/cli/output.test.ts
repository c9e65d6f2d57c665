import { describe, expect, it, vi } from 'vitest';
import type { System } from './system.ts';
import { runWith } from './testing/run-main.ts';

describe('a command that takes long', () => {
  it('says what it waits for, on standard error', async () => {
    const slow = (system: System): System => ({
      ...system,
      findTools: async () => {
        await vi.advanceTimersByTimeAsync(1_001);
        return [];
      },
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const ran = runWith(slow, ['tools', 'bananas', '--json']);
    const { stdout, stderr } = await ran.finally(() => vi.useRealTimers());
    expect(stdout).toBe('[]\n');
    expect(stderr).toContain('Loading the search model …\n');
  });
});
