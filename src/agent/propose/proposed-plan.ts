import { z } from 'zod';
import { planSchema, stepIdPattern, type Plan } from '../../contract/plan/index.ts';
import type { JsonSchema } from '../../contract/tool/index.ts';

/**
 * A plan as a model may write it: plain tool calls. What else a plan can say (sub-plans, lookups, waits,
 * approvals, what an effect is) is not a model's to say and is dropped.
 */
export const proposedPlanSchema = z.object({
  name: z.string().min(1).max(200).optional(),
  steps: z
    .array(
      z.object({
        id: z.string().regex(stepIdPattern),
        title: z.string().max(500).optional(),
        tool: z.string().min(1).max(500),
        args: z.record(z.string(), z.json()).default({}),
        when: z.union([z.string().min(1), z.boolean()]).optional(),
        forEach: z.union([z.string().min(1), z.array(z.json())]).optional(),
        onFailure: z.enum(['stop', 'skip', 'repair']).optional(),
      }),
    )
    .min(1)
    .max(100),
  output: z.json().optional(),
});
export type ProposedPlan = z.output<typeof proposedPlanSchema>;

/** The schema as a model gets it: tools are those it may use. */
export function proposedPlanJsonSchema(tools: readonly string[]): JsonSchema {
  const properties = { name: { type: 'string' }, steps: stepsJsonSchema(tools) };
  return { type: 'object', properties, required: ['steps'] };
}

export function stepsJsonSchema(tools: readonly string[]): JsonSchema {
  const text = { type: 'string' };
  const step = {
    type: 'object',
    properties: {
      id: text,
      title: text,
      tool: { type: 'string', enum: tools },
      args: { type: 'object' },
      when: text,
      forEach: text,
      onFailure: { type: 'string', enum: ['stop', 'skip', 'repair'] },
    },
    required: ['id', 'tool', 'args'],
  };
  return { type: 'array', items: step };
}

export function planOf(proposed: ProposedPlan, goal: string): Plan {
  return planSchema.parse({ version: 1, ...proposed, goal: goal.slice(0, 10_000) });
}
