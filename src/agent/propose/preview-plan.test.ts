import { expect, it } from 'vitest';
import { previewPlan } from './preview-plan.ts';

it('shows short values of inputs, the length of long ones, and what is not given yet', () => {
  const input = {
    query: { type: 'string', default: 'TODO' },
    limit: { type: 'integer', default: 3 },
    text: { type: 'string', default: 'a\nb\nc\n' },
    language: { type: 'string' },
  };
  const plan = { version: 1 as const, input, steps: [{ id: 'search', tool: 'web.search' }] };
  const candidates = [{ plan, why: '', confidence: 1 }];
  expect(previewPlan({ candidates, madeBy: 'planner', notUnderstood: [] })).toContain(
    '  input.query: TODO\n  input.limit: 3\n  input.text: 3 lines\n  input.language: not given yet\n',
  );
});
