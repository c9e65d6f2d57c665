import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlanner, type Planner } from '../src/agent/planner/index.ts';
import type { CatalogueEntry } from '../src/contract/catalogue/index.ts';
import { silentLog } from '../src/kernel/index.ts';
import { createCachedEmbedder, createLocalEmbedder } from '../src/models/index.ts';
import { planAll, sumUp } from './support/planning/plan-all.ts';
import { planningCases } from './support/planning/planning-requests.ts';
import { planningTools } from './support/planning/planning-tools.ts';
import { isProof, sampleSeeded } from './support/sample.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-planning-'));
const embedder = createLocalEmbedder();
let tools: readonly CatalogueEntry[];
let planner: Planner;

beforeAll(async () => {
  const path = join(folder, 'vectors');
  const cached = createCachedEmbedder(embedder, { path, log: silentLog });
  planner = createPlanner({ embed: (texts, signal) => cached.embed(texts, signal) });
  tools = await planningTools();
}, 60_000);

afterAll(async () => {
  await embedder.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('planning without a model', () => {
  it('plans, asks and refuses as a careful person would, among all our tools and others', async () => {
    const planned = await planAll(planner, planningCases('dev'), tools);
    const sum = sumUp(planned);
    expect(sum.right).toBeGreaterThanOrEqual(90);
    expect(sum.amongThree).toBeGreaterThanOrEqual(95);
    expect(sum.wrongPlan).toBeLessThanOrEqual(8);
    expect(sum.asked).toBeGreaterThanOrEqual(90);
    expect(sum.refused).toBeGreaterThanOrEqual(90);
    expect(planned.flatMap(({ errors }) => errors)).toEqual([]);
  }, 60_000);

  it('does so for requests whose failures nobody looked at while it was made', async () => {
    const heldOut = planningCases('own').filter(({ half }) => half === 'held out');
    const cases = isProof ? planningCases('own') : sampleSeeded(heldOut, 64, 1);
    const planned = await planAll(planner, cases, tools);
    const sum = sumUp(planned);
    expect(sum.right).toBeGreaterThanOrEqual(80);
    expect(sum.amongThree).toBeGreaterThanOrEqual(85);
    expect(sum.wrongPlan).toBeLessThanOrEqual(8);
    expect(sum.asked).toBeGreaterThanOrEqual(90);
    expect(planned.flatMap(({ errors }) => errors)).toEqual([]);
  }, 60_000);
});
