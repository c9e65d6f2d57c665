import { expect, it } from 'vitest';
import type { System, SystemOptions } from './system.ts';
import { createFakeSystem } from './testing/fake-system.ts';
import { runMain } from './testing/run-main.ts';

/** A tool whose answer `echoed` is a secret. */
async function call(flags: readonly string[], isTTY: boolean) {
  const { openSystem, ...others } = await createFakeSystem().compose();
  const opened = async (options: SystemOptions): Promise<System> => ({
    ...(await openSystem(options)),
    hideSecrets: async () => (text) => ({
      text: text.replace('echoed', '[hidden word]'),
      count: 1,
    }),
  });
  const io = { compose: async () => ({ ...others, openSystem: opened }) };
  return runMain(['call', 'fake.echo_all', ...flags], { isTTY, io });
}

it('hides secrets at a terminal and says so', async () => {
  const { stdout, stderr } = await call(['--yes'], true);
  expect(stdout).toBe('[hidden word]\n');
  expect(stderr).toContain('1 secret is hidden; --json prints all of it');
});

it.each([
  ['in a pipe', [], false],
  ['with --json', ['--json'], true],
])('leaves them as they are %s', async (_where, flags, isTTY) => {
  const { stdout, stderr } = await call(flags, isTTY);
  expect(stdout).not.toContain('[hidden');
  expect(stderr).not.toContain('hidden');
});
