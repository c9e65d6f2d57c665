import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aFolder, runTutti } from './support/run-tutti.ts';

const anAgent = (name: string, args: object): string => `---
name: ${name}
version: 1.0.0
description: Reviews code.
capabilities: [${name}.review]
tools: [code.review_code]
procedures: ${JSON.stringify({
  [`${name}.review`]: {
    plan: {
      steps: ['first', 'second'].map((id) => ({
        id: `${name}-${id}`,
        tool: 'code.review_code',
        args,
      })),
    },
  },
})}
---
`;

const plan = `
name: parallel
steps:
  - { id: one, agent: steady, task: Review it, onFailure: skip }
  - { id: two, agent: broken, task: Review it, onFailure: skip }
`;

interface Span {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

describe('a run of agents in parallel, one of which always fails', { timeout: 120_000 }, () => {
  it('is seen in its trace, the usage and the log', async () => {
    const cwd = aFolder();
    const agents = join(cwd, '.config/tutti/agents');
    mkdirSync(agents, { recursive: true });
    const code = { language: 'python', code: 'x = 1\n' };
    writeFileSync(join(agents, 'steady.md'), anAgent('steady', code));
    writeFileSync(join(agents, 'broken.md'), anAgent('broken', { path: 'secret-name.py' }));
    writeFileSync(join(cwd, 'plan.yaml'), plan);
    const tutti = async (...argv: readonly string[]) => {
      const { stdout, stderr } = await runTutti([...argv, '--json'], { cwd });
      expect(stdout, stderr).not.toBe('');
      return JSON.parse(stdout);
    };
    const { runId, traceId } = await tutti('run', 'plan.yaml');
    const { spans }: { readonly spans: readonly Span[] } = await tutti('trace', traceId);
    const chainOf = (name: string): readonly string[] => {
      const chain: string[] = [];
      let at = spans.find((span) => span.name === name);
      while (at) {
        chain.push(at.name);
        const { parentSpanId } = at;
        at = spans.find(({ spanId }) => spanId === parentSpanId);
      }
      return chain;
    };
    for (const [step, agent, inner] of [
      ['one', 'steady', 'steady-first'],
      ['one', 'steady', 'steady-second'],
      ['two', 'broken', 'broken-first'],
    ] as const) {
      expect(chainOf(`step ${inner}`)).toEqual([
        `step ${inner}`,
        `run ${agent}@1.0.0`,
        `invoke_agent ${agent}`,
        'tools/call agent.delegate',
        `step ${step}`,
        'run parallel',
      ]);
    }
    const usage = await tutti('usage', '--by', 'agent');
    expect(usage).toMatchObject([
      { name: 'broken', calls: 1, errors: 1 },
      { name: 'steady', calls: 1, errors: 0 },
    ]);
    const lines = await tutti('logs', '--run', runId);
    expect(lines).toMatchObject([
      { level: 'info', msg: 'run started', plan: 'parallel', traceId },
      { level: 'warn', msg: 'agent failed', agent: 'broken', code: 'agents.not_done', traceId },
      { level: 'warn', msg: 'call failed', tool: 'agent.delegate', traceId },
      { level: 'warn', msg: 'step failed', step: 'two', traceId },
      { level: 'info', msg: 'run ended', traceId },
    ]);
    const all = await tutti('logs', '--trace', traceId, '--level', 'warn');
    expect(all.map(({ msg }: { msg: string }) => msg)).toContain('run failed');
    expect(JSON.stringify(all)).not.toContain('secret-name');
  });
});
