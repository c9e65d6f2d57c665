import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Plan } from '../../contract/plan/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import { drawPlan, inspectPlan } from '../../workflow/check/index.ts';
import { compilePlan } from '../../workflow/plan/index.ts';
import { createFakeSystem } from '../../../testkit/cli/fake-system.ts';
import { type Ran, runMain } from '../../../testkit/cli/run-main.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-plan-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The fake system with plans that are really checked, against its own tools. */
async function runPlan(argv: readonly string[], stdin?: string): Promise<Ran> {
  const fake = createFakeSystem();
  const compose = await fake.compose();
  const openSystem: typeof compose.openSystem = async (options) => {
    const system = await compose.openSystem(options);
    const entries = await system.catalogue.entries();
    const tools = {
      find: (name: string) => entries.find((entry) => entry.name === name)?.tool,
      names: () => entries.map((entry) => entry.name),
    };
    const limits = { maxSteps: 100, maxItems: 100 };
    const workflows = {
      ...system.workflows,
      check: (_caller: unknown, source: PlanSource, { optimize = false } = {}) =>
        inspectPlan(source, { tools, limits, policy: 'plan', optimize }),
      draw: async (plan: Plan, format: 'text' | 'mermaid' | 'svg') =>
        drawPlan(compilePlan(plan), format),
    };
    return { ...system, workflows };
  };
  return runMain(['plan', ...argv], {
    ...(stdin !== undefined && { stdin }),
    io: { cwd: folder, compose: async () => ({ ...compose, openSystem }) },
  });
}

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

const good = file(
  'good.yaml',
  'name: Greet\nsteps:\n  - { id: one, tool: fake.echo_all, args: { text: hello } }\n  - { id: two, tool: fake.echo_all, args: { text: "${one.said}" } }\noutput: ${two}\n',
);
const bad = file(
  'bad.yaml',
  'steps:\n  - id: one\n    tool: fake.echo_al\n  - id: two\n    tool: fake.echo_all\n    args:\n      text: 5\n',
);

describe('tutti plan check', () => {
  it('says that a plan is fine and how big it is', async () => {
    const ran = await runPlan(['check', good]);
    expect(ran.stdout).toBe('The plan is fine: 2 steps, 1 edge\n');
    expect(ran.exitCode).toBe(0);
  });

  it('prints every problem with file, line and step, and ends with 2', async () => {
    const ran = await runPlan(['check', bad]);
    expect(ran.stdout.split('\n')).toEqual([
      'bad.yaml:3: one: There is no tool "fake.echo_al". Did you mean "fake.echo_all"?',
      'bad.yaml:7: two: Argument "text" of fake.echo_all must be a text, and is 5',
      'The plan cannot run: 2 errors',
      '',
    ]);
    expect(ran.exitCode).toBe(2);
  });

  it('gives problems and edges as one JSON document', async () => {
    const wrong = await runPlan(['check', bad, '--json']);
    expect(wrong.exitCode).toBe(2);
    expect(JSON.parse(wrong.stdout)).toMatchObject({
      ok: false,
      errors: [
        { step: 'one', path: 'steps[0].tool', line: 3, code: 'plan.unknown_tool' },
        { step: 'two', path: 'steps[1].args.text', line: 7, code: 'plan.invalid_argument' },
      ],
    });
    const right = await runPlan(
      ['check', '-', '--json'],
      'steps: [{id: a, tool: fake.open_ended}]',
    );
    expect(JSON.parse(right.stdout)).toEqual({
      ok: true,
      errors: [],
      warnings: [],
      edges: [],
      optimizations: [],
      effects: [{ step: 'a', tool: 'fake.open_ended', asks: false }],
    });
  });

  it('lists the steps that may change something, and whether they ask', async () => {
    const steps = '{id: a, tool: fake.open_ended}, {id: b, tool: fake.open_ended, approval: true}';
    const ran = await runPlan(['check', '-'], `steps: [${steps}]`);
    expect(ran.stdout.split('\n')).toEqual([
      'a: fake.open_ended may change something and runs without asking (approval: true makes it ask)',
      'b: fake.open_ended may change something and asks for approval first',
      'The plan is fine: 2 steps, 0 edges',
      '',
    ]);
  });

  it('shows warnings and ends with 0', async () => {
    const ran = await runPlan(
      ['check', '-'],
      'steps: [{id: a, tool: fake.echo_all, args: {text: x, txet: y}}]',
    );
    expect(ran.stdout).toContain('stdin:1: warning: a: Argument "txet"');
    expect(ran.stdout).toContain('The plan is fine: 1 step, 0 edges, 1 warning');
    expect(ran.exitCode).toBe(0);
  });

  it('calls no tool', async () => {
    expect((await runPlan(['check', good])).seen.calls).toEqual([]);
  });
});

describe('tutti plan show', () => {
  it.each([
    ['text', 'Greet: 2 steps, 1 edge, longest chain 2'],
    ['mermaid', 'flowchart TD'],
    ['svg', '<svg xmlns'],
  ])('draws as %s', async (format, beginning) => {
    const ran = await runPlan(['show', good, '--format', format]);
    expect(ran.stdout.startsWith(beginning)).toBe(true);
    expect(ran.exitCode).toBe(0);
  });

  it('draws a plan that cannot run, says why on stderr, and ends with 2', async () => {
    const ran = await runPlan(['show', bad]);
    expect(ran.stdout).toContain('fake.echo_al');
    expect(ran.stderr).toContain('bad.yaml:3: one: There is no tool');
    expect(ran.exitCode).toBe(2);
  });

  it('gives the drawing and the plan as JSON', async () => {
    const ran = await runPlan(['show', good, '--json', '--optimize']);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      ok: true,
      format: 'text',
      edges: [['one', 'two']],
      plan: { name: 'Greet' },
    });
  });

  it('gives a plan that is none at all without a drawing', async () => {
    const ran = await runPlan(['show', '-', '--json'], 'steps: 5');
    expect(ran.exitCode).toBe(2);
    expect(JSON.parse(ran.stdout)).toMatchObject({ ok: false, drawing: '', plan: null });
  });
});

describe('tutti plan with a command line that makes no sense', () => {
  it.each([
    ['an unknown action', ['chekc', good], 'Did you mean "check"?'],
    ['no file', ['check'], '"plan" wants ACTION PLAN, and PLAN is missing'],
    ['two files', ['check', good, bad], '"plan" takes ACTION PLAN, and got'],
    ['a format for check', ['check', good, '--format', 'svg'], '--format belongs to "plan show"'],
    ['an unknown format', ['show', good, '--format', 'sgv'], 'Did you mean "svg"?'],
    ['a file that is not there', ['check', 'none.yaml'], 'none.yaml'],
  ])('refuses %s', async (_what, argv, message) => {
    const ran = await runPlan(argv);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(message);
  });
});
