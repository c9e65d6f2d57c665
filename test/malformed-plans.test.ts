import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSystem, type System } from '../src/compose/index.ts';
import { localCaller } from '../src/contract/caller/index.ts';
import type { PlanCheck, PlanProblem } from '../src/contract/plan/index.ts';
import type { PlanSource } from '../src/contract/run/index.ts';
import { readPlanCases, type PlanCase } from './support/plan-cases.ts';

/** Against the tools we ship, by the same door every face uses. */
const malformed = readPlanCases('test/plans/malformed');
const doubtful = readPlanCases('test/plans/doubtful');
const correct = readPlanCases('test/plans/correct');

const policies = ['plan', 'destructive', 'effects'] as const;
const folder = mkdtempSync(join(tmpdir(), 'tutti-malformed-'));
const systems = new Map<PlanCase['policy'], System>();

beforeAll(async () => {
  for (const policy of policies) {
    const flags = { home: join(folder, policy), 'workflow.approval': policy };
    systems.set(policy, await openSystem({ flags, env: {}, cwd: folder }));
  }
});

afterAll(async () => {
  for (const system of systems.values()) await system.close();
  rmSync(folder, { recursive: true, force: true });
});

function system(policy: PlanCase['policy'] = 'plan'): System {
  const found = systems.get(policy);
  if (!found) throw new Error(`no system for ${policy}`);
  return found;
}

const text = (plan: string): PlanSource => ({ kind: 'text', text: plan });

function check({ text: plan, policy }: Pick<PlanCase, 'text' | 'policy'>): Promise<PlanCheck> {
  return system(policy).workflows.check(localCaller, text(plan));
}

const place = ({ code, step, line }: PlanProblem): object => ({ code, step, line });

async function expectRefused(
  source: PlanSource,
  policy: PlanCase['policy'] = 'plan',
): Promise<void> {
  const { workflows } = system(policy);
  await expect(workflows.start(localCaller, { source, input: {} })).rejects.toMatchObject({
    code: 'plan.invalid',
  });
}

it('has more than 200 malformed plans and more than 30 correct ones', () => {
  expect(malformed.length).toBeGreaterThan(200);
  expect(correct.length).toBeGreaterThan(30);
  expect(new Set([...malformed, ...doubtful, ...correct].map(({ name }) => name)).size).toBe(
    malformed.length + doubtful.length + correct.length,
  );
});

describe('a malformed plan is told what is wrong, in which step and line, and is not started', () => {
  it.each(malformed.map((plan) => [plan.name, plan] as const))('%s', async (_name, plan) => {
    const { ok, errors } = await check(plan);
    expect(ok).toBe(false);
    const found = errors.map(place);
    expect(plan.mayHaveMore ? found.slice(0, plan.errors.length) : found).toEqual(plan.errors);
    for (const { message } of errors) expect(message).toMatch(/^[A-Z"$].{14,}/s);
    await expectRefused(text(plan.text), plan.policy);
  });
});

describe('a doubtful plan gets a warning and may run', () => {
  it.each(doubtful.map((plan) => [plan.name, plan] as const))('%s', async (_name, plan) => {
    const { ok, errors, warnings } = await check(plan);
    expect(errors).toEqual([]);
    expect(ok).toBe(true);
    expect(warnings.map(place)).toEqual(plan.errors);
  });
});

describe('a correct plan passes without a word', () => {
  it.each(correct.map((plan) => [plan.name, plan] as const))('%s', async (_name, plan) => {
    const { ok, errors, warnings } = await check(plan);
    expect([...errors, ...warnings]).toEqual([]);
    expect(ok).toBe(true);
  });
});

describe('the pages and examples', () => {
  const page = readFileSync('docs/plans.md', 'utf8');
  const shown = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');

  it('shows plans in which nothing is wrong', async () => {
    expect(shown.length).toBeGreaterThan(6);
    for (const plan of shown) {
      const { errors, warnings } = await check({ text: plan, policy: 'plan' });
      expect([...errors, ...warnings], plan).toEqual([]);
    }
  });

  it('ships plans in which nothing is wrong', async () => {
    const files = readdirSync('examples').filter((file) => file.endsWith('.plan.yaml'));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const plan = readFileSync(join('examples', file), 'utf8');
      const { errors, warnings } = await check({ text: plan, policy: 'plan' });
      expect([...errors, ...warnings], file).toEqual([]);
    }
  });
});

/** Generous for a busy machine; each of them takes well under a second. */
const limitMs = 5_000;

describe('a plan that is too much is refused in bounded time', () => {
  const step = (index: number): string => `  - { id: s${index}, sleep: 1 }`;
  const nested = (depth: number, inner: string): string =>
    `${'{"a":'.repeat(depth)}${inner}${'}'.repeat(depth)}`;
  const deepData = (): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < 10_000; level += 1) value = [value];
    return { steps: [{ id: 'a', tool: 'code.review_code', args: { code: value } }] };
  };
  const circular: { steps: unknown[] } = { steps: [] };
  circular.steps.push({ id: 'a', plan: circular });

  it.each<[string, PlanSource, string]>([
    [
      '10,001 steps',
      text(`steps:\n${Array.from({ length: 10_001 }, (_, index) => step(index)).join('\n')}`),
      'plan.too_many_steps',
    ],
    [
      '10,001 steps in sub-plans',
      {
        kind: 'data',
        plan: {
          steps: Array.from({ length: 101 }, (_, outer) => ({
            id: `o${outer}`,
            plan: {
              steps: Array.from({ length: 100 }, (_inner, index) => ({
                id: `s${index}`,
                sleep: 1,
              })),
            },
          })),
        },
      },
      'plan.too_many_steps',
    ],
    [
      'a text of 17 MB',
      text(`goal: "${'x'.repeat(17_000_000)}"\nsteps: [{ id: a, sleep: 1 }]`),
      'plan.too_large',
    ],
    [
      '10,000 levels of JSON',
      text(`{"steps": [{"id": "a", "tool": "code.review_code", "args": ${nested(10_000, '1')}}]}`),
      'plan.too_deep',
    ],
    [
      '10,000 levels of YAML',
      text(`steps: ${'['.repeat(10_000)}${']'.repeat(10_000)}`),
      'plan.too_deep',
    ],
    ['10,000 levels of data', { kind: 'data', plan: deepData() }, 'plan.too_deep'],
    ['data that contains itself', { kind: 'data', plan: circular }, 'plan.too_deep'],
    [
      'a forEach over 10,001 elements',
      {
        kind: 'data',
        plan: {
          steps: [
            {
              id: 'a',
              tool: 'code.scan_secrets',
              forEach: Array.from({ length: 10_001 }, String),
              args: { code: '${item}' },
            },
          ],
        },
      },
      'plan.too_many_items',
    ],
    [
      'a circle of 5,000 steps',
      {
        kind: 'data',
        plan: {
          steps: Array.from({ length: 5_000 }, (_, index) => ({
            id: `s${index}`,
            tool: 'code.format_code',
            args: { code: `\${s${(index + 1) % 5_000}.formatted_code}` },
          })),
        },
      },
      'plan.cycle',
    ],
    [
      'a condition of 100,000 characters',
      { kind: 'data', plan: { steps: [{ id: 'a', sleep: 1, when: 'true && '.repeat(12_500) }] } },
      'plan.bad_condition',
    ],
    [
      '100,000 broken references in one text',
      {
        kind: 'data',
        plan: {
          steps: [{ id: 'a', tool: 'code.scan_secrets', args: { code: '${'.repeat(100_000) } }],
        },
      },
      'plan.bad_reference',
    ],
    [
      'a program as data',
      { kind: 'data', plan: { steps: [{ id: 'a', sleep: () => 1 }] } },
      'plan.wrong_value',
    ],
    [
      'a big number as data',
      { kind: 'data', plan: { steps: [{ id: 'a', sleep: 1n }] } },
      'plan.wrong_value',
    ],
    ['nothing as data', { kind: 'data', plan: undefined }, 'plan.wrong_value'],
  ])('%s', async (_name, source, code) => {
    const startedAt = performance.now();
    const { ok, errors } = await system().workflows.check(localCaller, source);
    expect(performance.now() - startedAt).toBeLessThan(limitMs);
    expect(ok).toBe(false);
    expect(errors.map((problem) => problem.code)).toContain(code);
    await expectRefused(source);
  });

  it('tells of at most some hundred problems, however many there are', async () => {
    const steps = Array.from({ length: 5_000 }, (_, index) => ({
      id: `s${index}`,
      tool: 'no.such_tool',
    }));
    const { errors } = await system().workflows.check(localCaller, {
      kind: 'data',
      plan: { steps },
    });
    expect(errors.length).toBeGreaterThan(50);
    expect(errors.length).toBeLessThanOrEqual(300);
  });
});

it('checks a chain of 10,000 steps in about a second', async () => {
  const steps = Array.from({ length: 10_000 }, (_, index) => ({
    id: `s${index}`,
    tool: 'code.format_code',
    args: { code: index === 0 ? 'x' : `\${s${index - 1}.formatted_code}`, language: 'python' },
  }));
  const source: PlanSource = { kind: 'data', plan: { steps } };
  await system().workflows.check(localCaller, source);
  const startedAt = performance.now();
  const { ok, edges } = await system().workflows.check(localCaller, source);
  expect(performance.now() - startedAt).toBeLessThan(limitMs);
  expect(ok).toBe(true);
  expect(edges).toHaveLength(9_999);
});

it('has started nothing: no run was stored and no tool was called', async () => {
  for (const { workflows, traces } of systems.values()) {
    expect(await workflows.list(localCaller, { limit: 10 })).toEqual([]);
    expect(await traces.recent(10)).toEqual([]);
  }
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
