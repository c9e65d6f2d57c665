import { expect, it } from 'vitest';
import { runMain } from '../../../testkit/cli/run-main.ts';

it('lists alerts with since when they fire', async () => {
  const { exitCode, stdout } = await runMain(['alerts']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /FIRING since .* on one:8004, two:8004 {2}CallsFailing {2}critical {2}Calls fail/,
  );
});

it('tests webhooks, and says which did not take it', async () => {
  expect(await runMain(['alerts', 'test', 'team'])).toMatchObject({ exitCode: 0 });
  const failed = await runMain(['alerts', 'test']);
  expect([failed.exitCode, failed.stdout]).toEqual([1, 'team  refused\n']);
  const none = await runMain(['alerts', 'test', 'none']);
  expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('no webhook "none"')]);
});

it('silences an alert for a while', async () => {
  const { exitCode, stdout } = await runMain(['alerts', 'silence', 'CallsFailing', '--for', '2h']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^CallsFailing is silenced until \d{4}-/);
  expect((await runMain(['alerts', 'silence', 'CallFailing'])).stderr).toContain('CallsFailing');
});
