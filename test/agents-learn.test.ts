import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { aFolder, runTutti, startTutti, untilEnd } from './support/run-tutti.ts';

const patience = { timeout: 30_000, interval: 200 };

/** An agent that appends a line, and a run of it; what the chooser expects of it is asked of the program. */
async function anAgentAtWork({ asks = false } = {}) {
  const cwd = aFolder();
  const append = { path: 'log.txt', append: 'one more line\n' };
  const step = { id: 'append', tool: 'workspace.apply_changes', args: append, approval: asks };
  const files = {
    '.config/tutti/agents/writer.md': `---
name: writer
version: 1.0.0
description: Writes a line.
capabilities: [lines.write]
tools: [workspace.apply_changes]
criteria: [changed]
procedures: ${JSON.stringify({ 'lines.write': { plan: { steps: [step] } } })}
---
`,
    'log.txt': '',
    'plan.yaml': 'steps: [{ id: write, agent: writer, task: Write a line }]',
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
  const tutti = async (...argv: readonly string[]) =>
    JSON.parse((await runTutti([...argv, '--json'], { cwd })).stdout);
  const expected = async (): Promise<number> => {
    const { order } = await tutti('agents', 'why', 'lines.write', 'Write a line');
    return order[0].criteria.success;
  };
  const work = async () => {
    const ended = untilEnd(startTutti(['run', 'plan.yaml', '--json'], { cwd }));
    return { ended };
  };
  const decide = async (verdict: 'approve' | 'deny') => {
    const { ended } = await work();
    let waiting = '';
    await vi.waitFor(async () => {
      waiting = (await tutti('runs', 'list', '--status', 'waiting'))[0].runId;
    }, patience);
    await tutti('runs', verdict, waiting, '--detach');
    await ended;
  };
  return { tutti, expected, decide };
}

describe('who is chosen learns', { timeout: 120_000 }, () => {
  it('from an opinion about a run, of the agent or of the plan that asked for it, and the latest counts', async () => {
    const { tutti, expected } = await anAgentAtWork();
    const unknown = await expected();
    const run = await tutti('run', 'plan.yaml');
    const done = await expected();
    expect(done).toBeGreaterThan(unknown);
    await tutti('feedback', run.runId, 'down', 'wrong file');
    const down = await expected();
    expect(down).toBeLessThan(unknown);
    const { decisions } = await tutti('runs', 'why', run.runId);
    await tutti('feedback', decisions[0].runId, 'up');
    expect(await expected()).toBeCloseTo(done, 2);
  });

  it('from a change that was undone', async () => {
    const { tutti, expected } = await anAgentAtWork();
    const unknown = await expected();
    const run = await tutti('run', 'plan.yaml');
    const [{ id }] = run.steps.write.output.changes;
    expect(await expected()).toBeGreaterThan(unknown);
    await tutti('call', 'workspace.undo_changes', `change_id=${id}`, '--yes');
    expect(await expected()).toBeLessThan(unknown);
  });

  it('from what was approved and what was denied', async () => {
    const approved = await anAgentAtWork({ asks: true });
    const unknown = await approved.expected();
    await approved.decide('approve');
    expect(await approved.expected()).toBeGreaterThan(unknown);
    const denied = await anAgentAtWork({ asks: true });
    await denied.decide('deny');
    expect(await denied.expected()).toBeLessThan(unknown);
  });
});
