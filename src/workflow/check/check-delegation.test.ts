import { describe, expect, it } from 'vitest';
import type { Tool } from '../../contract/tool/index.ts';
import type { KnownAgent } from './check-delegation.ts';
import { inspectPlan } from './inspect-plan.ts';

const inputs = (...names: readonly string[]) =>
  new Map<string, { isRequired: boolean }>([
    ...names.map((name) => [name, { isRequired: true }] as const),
    ['depth', { isRequired: false }],
  ]);
const agents: readonly KnownAgent[] = [
  {
    name: 'reviewer',
    version: '1.0.0',
    capabilities: ['code.review', 'code.explain'],
    inputs: new Map([['code.review', inputs('path')]]),
  },
  {
    name: 'scanner',
    version: '1.0.0',
    capabilities: ['security.scan'],
    inputs: new Map([['security.scan', inputs('path')]]),
  },
];
const tool: Tool = { name: 'delegate', inputSchema: { type: 'object' } };

/** What is wrong with a step, by path. */
async function problemsOf(step: string, known = agents) {
  const text = `steps:\n  - id: a\n    task: Do it\n    ${step.replaceAll('\n', '\n    ')}\n`;
  const check = await inspectPlan(
    { kind: 'text', text },
    {
      tools: {
        find: (name) => (name === 'agent.delegate' ? tool : undefined),
        names: () => [],
      },
      agents: async () => known,
      limits: { maxSteps: 10, maxItems: 10 },
      policy: 'plan',
      optimize: false,
    },
  );
  return check.errors.map(
    ({ step: id, path, line, message }) => `${id} ${path}:${line} ${message}`,
  );
}

describe('a step of an agent', () => {
  it.each([
    ['agent: revewer', 'a steps[0].agent:4 There is no agent "revewer". Did you mean "reviewer"?'],
    [
      'agent: { name: reviewer, version: 2.0.0 }',
      'a steps[0].agent.version:4 Agent "reviewer" has no version "2.0.0". Did you mean "1.0.0"?',
    ],
    [
      'agent: { capability: code.reveiw }',
      'a steps[0].agent.capability:4 No agent has the capability "code.reveiw". Did you mean "code.review"?',
    ],
    [
      'agent: { name: reviewer, capability: code.review }',
      'a steps[0].agent:4 "agent" wants a name, {name} or {capability}, and just one of the two',
    ],
    [
      'agent: { capability: code.review }\ninputs:\n  path: src\n  pth: src',
      'a steps[0].inputs.pth:7 Input "pth" is not known to the agents for "code.review". Did you mean "path"?',
    ],
    ['agent: scanner', 'a steps[0].inputs:2 Input "path" of the agent "scanner" is missing'],
  ])('%s is refused with its field', async (step, problem) => {
    const [found = ''] = await problemsOf(step);
    expect(found).toBe(problem);
  });

  it('is fine with what one of the agents takes, with names only a run knows, and without a procedure', async () => {
    for (const step of [
      'agent: reviewer\ninputs: { path: src, depth: 1 }',
      'agent: { capability: security.scan }\ninputs: { path: "${run.id}" }',
      'agent: "${run.id}"',
      'agent: { capability: code.explain }\ninputs: { anything: 1 }',
    ]) {
      expect([step, await problemsOf(step)]).toEqual([step, []]);
    }
  });
});
