import { expect, it } from 'vitest';
import { planningSettings } from './agent-settings.ts';

it('knows plans that do not loop, and no others', () => {
  const others = {
    max_steps: 10,
    optimize_chains: true,
    preview: 'effects',
    approval: 'effects',
  };
  expect(planningSettings.parse({})).toEqual({ ...others, allow_loops: false });
  expect(planningSettings.safeParse({ allow_loops: false }).success).toBe(true);
  expect(planningSettings.safeParse({ allow_loops: true }).success).toBe(false);
});
