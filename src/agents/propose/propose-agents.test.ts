import { expect, it } from 'vitest';
import { readAgentFile } from '../definition/read-agent-file.ts';
import { proposeAgents, type PastRun } from './propose-agents.ts';

let count = 0;
function aRun(path: string, status = 'succeeded', name: string | null = null): PastRun {
  count += 1;
  const steps = [
    { id: `read${count}`, tool: 'workspace.read_file', args: { path } },
    {
      id: 'check',
      tool: 'code.review_code',
      args: { code: `\${read${count}.content}`, language: 'python' },
    },
  ];
  return {
    summary: Object({ runId: `r${count}`, status, name, goal: 'Check a file' }),
    plan: { version: 1, steps },
  };
}

it('makes an agent of runs of one shape; what differs becomes an input', () => {
  const [proposal, other] = proposeAgents([
    aRun('a.py'),
    aRun('b.py'),
    aRun('c.py'),
    aRun('d.py', 'failed'),
  ]);
  expect(other).toBeUndefined();
  expect(proposal).toMatchObject({
    name: 'read-file-then-review-code',
    runs: [{}, {}, {}, { status: 'failed' }],
  });
  const read = readAgentFile({ path: 'x.md', text: proposal?.text ?? '', source: 'user' });
  if (read.kind !== 'read') throw new Error(JSON.stringify(read.problems));
  const { plan } = read.agent.procedures['read-file-then-review-code.do'] ?? { plan: undefined };
  expect(plan?.input).toEqual({ path: { type: 'string' } });
  expect(plan?.steps.map(({ args }) => args)).toEqual([
    { path: '${input.path}' },
    { code: expect.stringMatching(/^\$\{read\d+\.content\}$/), language: 'python' },
  ]);
});

it('proposes nothing of few runs, of failed ones, of one step or of agents', () => {
  expect(proposeAgents([aRun('a.py'), aRun('b.py')])).toEqual([]);
  expect(proposeAgents(['a', 'b', 'c'].map((path) => aRun(path, 'failed')))).toEqual([]);
  expect(
    proposeAgents(['a', 'b', 'c'].map((path) => aRun(path, 'succeeded', 'testing@1.0.0'))),
  ).toEqual([]);
  const single = ['a', 'b', 'c']
    .map((path) => aRun(path))
    .map(({ summary, plan }) => ({ summary, plan: { ...plan, steps: plan.steps.slice(0, 1) } }));
  expect(proposeAgents(single)).toEqual([]);
});

it('proposes nothing that an agent does already, and no name that is taken', () => {
  const runs = ['a', 'b', 'c'].map((path) => aRun(path));
  const [{ name, text } = { name: '', text: '' }] = proposeAgents(runs);
  const read = readAgentFile({ path: 'x.md', text, source: 'user' });
  if (read.kind !== 'read') throw new Error(JSON.stringify(read.problems));
  expect(proposeAgents(runs, [{ ...read.agent, name: 'renamed' }])).toEqual([]);
  const others = [name, `${name}-2`].map((taken) => ({ name: taken, procedures: {} }));
  expect(proposeAgents(runs, others)).toMatchObject([{ name: `${name}-3` }]);
});
