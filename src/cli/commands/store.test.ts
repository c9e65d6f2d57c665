import { describe, expect, it } from 'vitest';
import { runMain } from '../../../testkit/cli/run-main.ts';

describe('tutti store move', () => {
  it('shows how many rows of each table were copied', async () => {
    const { exitCode, stdout } = await runMain(['store', 'move', 'server']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Copied 2 rows from here to server');
    const json = await runMain(['store', 'move', 'file', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ to: 'file', tables: [{ rows: 2 }] });
  });

  it('wants to know where to', async () => {
    expect((await runMain(['store', 'move'])).exitCode).toBe(2);
    expect((await runMain(['store', 'move', 'elsewhere'])).exitCode).toBe(2);
  });
});
