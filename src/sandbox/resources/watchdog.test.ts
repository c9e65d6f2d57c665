import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chooseResourceControl } from './choose-resource-control.ts';
import { describeResourceControl } from './testing/resource-control-suite.ts';
import { killAtLimit, someLimits, startMember } from './testing/start-member.ts';

describe.skipIf(process.platform !== 'linux')('the watchdog', async () => {
  const control = await chooseResourceControl({ kinds: ['watchdog'] });

  describeResourceControl(control);

  it('says that it holds limits itself, that nobody holds the rate, and what to do about it', () => {
    expect(control.kind).toBe('watchdog');
    expect(control.holder('memory')).toBe('supervisor');
    expect(control.holder('pids')).toBe('supervisor');
    expect(control.holder('cpu-time')).toBe('supervisor');
    expect(control.holder('cpu-rate')).toBe('none');
    expect(control.fix).toBeTruthy();
  });

  it('leaves nothing that would have to be swept', async () => {
    expect(await control.sweep()).toBe(0);
  });

  it.skipIf(!existsSync('/usr/bin/bwrap'))(
    'counts files in temporary folders that only the program sees as memory',
    async () => {
      const group = await control.open(someLimits({ memoryBytes: 64 * 1024 * 1024 }));
      const limit = killAtLimit(group);
      const fills = 'head -c 100000000 /dev/zero > /mnt/file; exec sleep 60';
      const root = '--ro-bind / / --dev /dev --tmpfs /mnt --unshare-all --die-with-parent'.split(
        ' ',
      );
      const member = startMember(group, ['/usr/bin/bwrap', ...root, '/bin/sh', '-c', fills]);
      expect(await limit).toBe('memory');
      await member.exited;
      expect((await group.usage()).peakMemoryBytes).toBeGreaterThan(64 * 1024 * 1024);
    },
  );
});
