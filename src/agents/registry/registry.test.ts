import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anAgentFile } from '../../../testkit/agents/an-agent-file.ts';
import type { PlanCheck } from '../../contract/plan/index.ts';
import { compareVersions, loadAll } from './registry.ts';

const fine: PlanCheck = { ok: true, errors: [], warnings: [], edges: [], optimizations: [] };
const known = {
  tools: ['code.review_code', 'code.scan_secrets', 'admin.call_tool', 'agent.delegate'],
  servers: ['code', 'admin', 'agent', 'mail'],
};
const load = (files: Parameters<typeof loadAll>[0], check: PlanCheck = fine) =>
  loadAll(files, {
    known,
    checks: {
      tools: async () => known.tools,
      servers: async () => known.servers,
      checkPlan: async () => check,
    },
  });
const good = anAgentFile();

describe('a wrong agent file', () => {
  it.each([
    ['an unknown field', ['colour: red'], /no field "colour"/],
    ['a mistyped field', ['tols: [code.review_code]'], /did you mean "tools"\?/],
    [
      'an unknown tool',
      ['tools: [code.reviewcode]'],
      /no tool code.reviewcode: did you mean code.review_code\?/,
    ],
    ['a glob that names nothing', ['tools: ["code.zz_*"]'], /no tool code.zz_\*/],
    [
      'a tool that calls any other',
      ['tools: [admin.call_tool]'],
      /No agent may call admin.call_tool/,
    ],
    ['a capability that is no noun.verb', ['capabilities: [everything]'], /noun\.verb/],
    ['a bad version', ['version: latest'], /such as "1.0.0"/],
    ['a bad name', ['name: Big Agent'], /small letters/],
    ['a limit out of range', ['limits: { rounds: 0 }'], /limits.rounds/],
    ['an unknown limit', ['limits: { wishes: 3 }'], /limits.wishes/],
    ['an unknown criterion', ['criteria: [looks_good]'], /criteria/],
    ['a procedure without a plan', ['procedures: { things.do: {} }'], /procedures/],
    [
      'a procedure for another capability',
      ['procedures: { other.do: { plan: { steps: [{ id: a, tool: code.review_code }] } } }'],
      /none of its capabilities/,
    ],
    [
      'a procedure with a tool it may not call',
      ['procedures: { things.do: { plan: { steps: [{ id: a, tool: code.scan_secrets }] } } }'],
      /"tools" does not allow/,
    ],
    ['no model and no procedure', ['model: none'], /no procedure for things.do/],
    ['no YAML', ['limits: {'], /YAML|flow/i],
  ])('with %s is refused with its line, and hides no other', async (_what, lines, message) => {
    const isNamed = lines.some((line) => line.startsWith('name'));
    const bad = anAgentFile(isNamed ? lines : ['name: bad', ...lines], { path: 'bad.md' });
    const { agents, problems } = await load([bad, good]);
    expect(agents.map(({ agent }) => agent.name)).toEqual(['helper']);
    expect(problems[0]).toMatchObject({ file: 'bad.md', message: expect.stringMatching(message) });
    expect(problems[0]?.line).toBeGreaterThan(1);
  });

  it('that does not pass the check of plans is refused at the line of the mistake', async () => {
    const lines = [
      'procedures:',
      '  things.do:',
      '    plan:',
      '      steps:',
      '        - id: a',
      '          tool: code.review_code',
    ];
    const text = anAgentFile().text.replace('---\n\nDo', `${lines.join('\n')}\n---\n\nDo`);
    const wrong = {
      step: 'a',
      path: 'steps[0].tool',
      line: null,
      code: 'plan.x',
      message: 'It does not fit',
      severity: 'error',
    } as const;
    const { agents, problems } = await load([{ ...good, text }], {
      ...fine,
      ok: false,
      errors: [wrong],
    });
    expect(agents).toEqual([]);
    expect(problems).toEqual([
      { file: 'helper.md', line: 12, message: expect.stringContaining('It does not fit') },
    ]);
  });

  it('is the second of two with one name and version', async () => {
    const { agents, problems } = await load([
      good,
      { ...good, path: 'again.md' },
      anAgentFile(['version: 1.0.1']),
    ]);
    expect(agents.map(({ agent }) => agent.version)).toEqual(['1.0.0', '1.0.1']);
    expect(problems).toMatchObject([
      { file: 'again.md', line: 3, message: expect.stringContaining('helper@1.0.0 already') },
    ]);
  });

  it('may be anything at all', async () => {
    const texts = [
      '',
      '---',
      '---\n---\n',
      '\0\u0001',
      '---\na: &a [*a]\n---',
      `---\n${'x: {'.repeat(500)}\n---`,
      '---\n[]\n---',
      'x'.repeat(300_000),
    ];
    const { agents, problems } = await load([
      ...texts.map((text, index) => ({ text, path: `${index}.md`, source: 'user' as const })),
      good,
    ]);
    expect(agents).toHaveLength(1);
    expect(new Set(problems.map(({ file }) => file)).size).toBe(texts.length);
  });
});

it('waits for the tools of a server that is not there', async () => {
  const { agents, problems } = await load([
    anAgentFile(['tools: [code.review_code, jira.search]']),
  ]);
  expect(problems).toEqual([]);
  expect(agents[0]?.reason).toBe('no server has jira.search');
});

it('keeps tools that no agent may have out of globs', async () => {
  const { agents } = await load([anAgentFile(['tools: ["*.*"]'])]);
  expect(agents[0]?.tools).toEqual(['agent.delegate', 'code.review_code', 'code.scan_secrets']);
});

it('orders versions as semver does', () => {
  const versions = ['1.10.0', '1.2.0', '2.0.0-beta.2', '2.0.0', '2.0.0-beta.10'];
  expect(versions.toSorted(compareVersions)).toEqual([
    '1.2.0',
    '1.10.0',
    '2.0.0-beta.2',
    '2.0.0-beta.10',
    '2.0.0',
  ]);
});

it('ships agents that are well-formed', async () => {
  const folder = 'src/agents/shipped';
  const files = readdirSync(folder).map((name) => ({
    path: name,
    text: readFileSync(`${folder}/${name}`, 'utf8'),
    source: 'shipped' as const,
  }));
  const names = files.flatMap(({ text }) =>
    [...text.matchAll(/[a-z]+\.[a-z_]+/g)].map(([name]) => name),
  );
  const tools = [...new Set([...names, 'docs.x', 'standards.x'])];
  const { problems, agents } = await loadAll(files, {
    known: { tools, servers: [] },
    checks: { tools: async () => tools, servers: async () => [], checkPlan: async () => fine },
  });
  expect(problems).toEqual([]);
  expect(agents).toHaveLength(7);
});
