import { describe, expect, it } from 'vitest';
import { runWith } from '../../../testkit/cli/run-main.ts';

describe('doctor', () => {
  const details = [
    { name: 'memory', holder: 'kernel', message: 'held' },
    { name: 'disk', holder: 'none', message: 'open' },
  ];
  const checks = [
    { name: 'sandbox', status: 'ok', message: 'fine', details },
    { name: 'docker', status: 'absent', message: 'no socket', fix: 'Install it' },
  ] as const;

  it.each([
    ['', 'ok       sandbox: fine\n         disk  none  open\nabsent   docker: no socket\n'],
    [
      ' --verbose',
      'ok       sandbox: fine\n         memory  kernel  held\n         disk    none    open\nabsent   docker: no socket\n         Install it\n',
    ],
  ])(
    'shows at length what is not in order; all of it with --verbose:%s',
    async (flag, expected) => {
      const argv = `doctor${flag}`.split(' ');
      const { stdout } = await runWith(
        (system) => ({ ...system, doctor: async () => checks }),
        argv,
      );
      expect(stdout).toBe(expected);
    },
  );
});
