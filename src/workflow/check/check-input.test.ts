import { describe, expect, it } from 'vitest';
import { planSchema } from '../../contract/plan/index.ts';
import { compilePlan } from '../plan/index.ts';
import { checkInput } from './check-declarations.ts';

const plan = compilePlan(
  planSchema.parse({
    input: {
      path: { type: 'string' },
      count: { type: 'integer', minimum: 1, default: 3 },
      deep: { type: 'boolean', default: false },
      list: { type: 'array', items: { type: 'string' }, default: [] },
      options: { type: 'object', default: {} },
      any: { default: null },
      maybe: { type: ['number', 'null'], default: null },
    },
    steps: [{ id: 'a', sleep: 1 }],
  }),
);

describe('the input of a run', () => {
  it('needs what has no default, and nothing else', () => {
    expect(checkInput(plan, { path: 'src' })).toEqual([]);
    expect(checkInput(plan, {})).toEqual([
      'Input "path" is required, and is missing; give it with --input path=…',
    ]);
  });

  it('must fit, and must be declared', () => {
    expect(checkInput(plan, { path: 5, count: 0, pth: 'x', list: ['a', 1] })).toEqual([
      'Input "path" must be a text, and is 5',
      'Input "count" must be at least 1, and is 0',
      expect.stringContaining('Input "pth" is not known'),
      'Input "list[1]" must be a text, and is 1',
    ]);
  });
});
