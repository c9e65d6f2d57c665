import { expect, it } from 'vitest';
import { runMain } from '../../../testkit/cli/run-main.ts';

it('shows what was used as a table', async () => {
  const { exitCode, stdout } = await runMain(['usage', '--since', '2d']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /tool\s+calls\s+errors.*\ncode\.x\s+3\s+1\s+2\.0 ms\s+9\.0 ms\s+7\s+\$0\.5000/,
  );
});

it('says when nothing was used, and what it can count by', async () => {
  expect((await runMain(['usage', '--by', 'model'])).stdout).toBe(
    'Nothing was used in the last 7d.\n',
  );
  const { exitCode, stderr } = await runMain(['usage', '--by', 'moon']);
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain('moon');
});
