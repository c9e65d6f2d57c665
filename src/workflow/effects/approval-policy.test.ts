import { describe, expect, it } from 'vitest';
import { approvalPolicy } from './effect-ports.ts';
import { aWorkbench, gives } from '../../../testkit/workflow/effects/a-workbench.ts';

describe('the policy', () => {
  const tools = {
    read: { readOnlyHint: true },
    adds: { destructiveHint: false },
    plain: undefined,
    destroys: { destructiveHint: true, idempotentHint: true },
  } as const;

  it.each([
    ['plan', []],
    ['destructive', ['plain', 'destroys']],
    ['effects', ['adds', 'plain', 'destroys']],
  ] as const)('"%s" wants approval of %j', async (mode, wanted) => {
    const policy = approvalPolicy(mode);
    const scripted = Object.fromEntries(
      Object.entries(tools).map(([name, annotations]) => [
        `s.${name}`,
        { ...(annotations ? { annotations } : {}), run: () => gives({}) },
      ]),
    );
    const bench = aWorkbench(scripted, { policy });
    const refused: string[] = [];
    for (const name of Object.keys(tools)) {
      // What the plan says of the effect does not count here.
      const outcome = await bench.call({ step: name, tool: `s.${name}`, effect: 'read' });
      if (outcome.kind !== 'failed') continue;
      expect(outcome.error.code).toBe('workflow.approval_required');
      refused.push(name);
    }
    expect(refused).toEqual(wanted);
  });

  it('has another version in every mode', () => {
    const versions = (['plan', 'destructive', 'effects'] as const).map(
      (mode) => approvalPolicy(mode).version,
    );
    expect(new Set(versions).size).toBe(3);
  });
});
