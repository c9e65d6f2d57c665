import { describe, expect, it } from 'vitest';
import type { Plan, Step } from '../../contract/plan/index.ts';
import { anEntry, readOnly } from '../../../testkit/agent/an-agent.ts';
import { createCapability } from './capability.ts';
import { orderAfterEffects, sayOrder } from './order-after-effects.ts';
import { previewSteps } from './preview-plan.ts';

const isTrusted = (server: string): boolean => server !== 'desk';
const asked = [
  anEntry('code.review', readOnly),
  anEntry('workspace.write', {}),
  anEntry('desk.read', readOnly),
];
const rules = { capability: createCapability({ offered: [], asked, isTrusted }), isTrusted };
const step = (id: string, tool: string, more: Partial<Step> = {}): Step => ({ id, tool, ...more });

function whensOf(...steps: Step[]): (Step['when'] | null)[] {
  const plan: Plan = { version: 1, steps };
  return orderAfterEffects(plan, rules).steps.map(({ when }) => when ?? null);
}

describe('a plan of a model', () => {
  it('has steps after an effect wait for it, and keeps their own conditions', () => {
    const order = '(exists(${write}) || !exists(${write}))';
    expect(
      whensOf(
        step('before', 'code.review'),
        step('write', 'workspace.write'),
        step('check', 'code.review'),
        step('more', 'workspace.write', { when: '${before.n} > 1' }),
        step('last', 'code.review'),
      ),
    ).toEqual([
      null,
      null,
      order,
      `${order} && (\${before.n} > 1)`,
      '(exists(${more}) || !exists(${more}))',
    ]);
  });

  it('leaves steps that refer to the effect, and those of strangers, as they are', () => {
    expect(
      whensOf(
        step('write', 'workspace.write'),
        step('check', 'code.review', { args: { id: '${write.change_id}' } }),
        step('read', 'desk.read'),
      ),
    ).toEqual([null, null, null]);
  });

  it('shows the order in words', () => {
    expect(sayOrder('(exists(${a}) || !exists(${a})) && (${b.n} > 1)')).toBe(
      'after a, when ${b.n} > 1',
    );
    const steps = [step('write', 'workspace.write'), step('check', 'code.review')];
    const plan = orderAfterEffects({ version: 1, steps }, rules);
    expect(previewSteps(plan)).toContain('check: code.review() [after write]');
  });
});
