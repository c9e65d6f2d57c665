import { beforeAll, describe, expect, it } from 'vitest';
import { createPlanner } from '../src/agent/planner/index.ts';
import type { CatalogueEntry } from '../src/contract/catalogue/index.ts';
import { planAll, sumUp } from './support/planning/plan-all.ts';
import { planningCases } from './support/planning/planning-requests.ts';
import { foreignTools, planningTools } from './support/planning/planning-tools.ts';

let tools: readonly CatalogueEntry[];
let ours: readonly CatalogueEntry[];

beforeAll(async () => {
  tools = await planningTools();
  ours = tools.filter(({ server }) => server !== 'office');
}, 60_000);

describe('planning without a model', () => {
  it.each(['dev', 'own', 'folder'] as const)(
    'meets the goals on the set %s',
    async (set) => {
      const planned = await planAll(createPlanner(), planningCases(set), tools);
      const sum = sumUp(planned);
      expect(sum.right).toBeGreaterThanOrEqual(55);
      expect(sum.amongThree).toBeGreaterThanOrEqual(72);
      expect(sum.surelyWrong).toBeLessThanOrEqual(8);
      expect(sum.asked).toBeGreaterThanOrEqual(90);
      expect(sum.refused).toBeGreaterThanOrEqual(80);
      expect(planned.flatMap(({ errors }) => errors)).toEqual([]);
    },
    120_000,
  );

  it('refuses everything harmful in a folder', async () => {
    const harmful = planningCases('folder').filter(({ category }) => category === 'harmful');
    const planned = await planAll(createPlanner(), harmful, tools);
    expect(planned.map(({ answer }) => answer.kind)).toEqual(harmful.map(() => 'refusal'));
  });

  it('is not worse for any request with five more servers in the fleet', async () => {
    const cases = planningCases('folder');
    const before = await planAll(createPlanner(), cases, ours);
    const after = await planAll(createPlanner(), cases, [...ours, ...foreignTools()]);
    const rank = ['wrong', 'refused', 'asked', 'among', 'right'];
    const worse = after.filter(
      ({ score }, at) => rank.indexOf(score) < rank.indexOf(before[at]?.score ?? 'wrong'),
    );
    expect(worse.map(({ one }) => one.id)).toEqual([]);
  });
});
