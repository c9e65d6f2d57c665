import { describe, expect, it } from 'vitest';
import { anAgent } from '../../../testkit/agent/an-agent.ts';
import { fibonacci, says, write } from '../../../testkit/agent/fibonacci.ts';

const matches = [{ path: 'config.py', line: 1, text: 'PASSWORD = "hunter2"' }];
const tools = { 'code.generate_code': () => ({ matches, total: 1 }) };
const plan = { version: 1 as const, ...write };
const planned = () => ({ kind: 'plan', candidates: [{ plan, confidence: 1, why: '' }] }) as const;

describe('secrets in results', () => {
  it('are hidden in answers and follow-ups, which say so', async () => {
    const { ask } = anAgent({ tools, planned, hideSecrets: true });
    const shown = 'config.py:1: PASSWORD = "[hidden password]"\n\n1 secret is hidden.';
    const answer = await ask('search PASSWORD', { acceptPreview: true });
    expect(answer).toMatchObject({ answer: expect.stringContaining(shown) });
    expect(await ask('where exactly?', { session: 's-1' })).toMatchObject({ answer: shown });
  });

  it('are hidden from models, in the words about a run and in the look at a round', async () => {
    const look = { done: true, answer: 'Done.' };
    for (const isTask of [false, true]) {
      const intent = { ...fibonacci, open_ended: isTask };
      const { ask, models } = anAgent({
        model: says({ intent, plan: write, text: 'Done.', look }),
        tools,
        hideSecrets: true,
      });
      await ask('write a fibonacci function');
      const prompts = ['text', 'look'].flatMap((kind) => models.promptsOf(kind)).join('\n');
      expect(prompts).toContain('[hidden password]');
      expect(prompts).not.toContain('hunter2');
    }
  });
});
