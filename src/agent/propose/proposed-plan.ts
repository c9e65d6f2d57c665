import {
  planSchema,
  stepIdPattern,
  type Json,
  type Plan,
  type Step,
} from '../../contract/plan/index.ts';
import type { JsonSchema } from '../../contract/tool/index.ts';
import { z } from 'zod';

/** Models that are held to a schema fill in every member: what they have nothing to say for is empty, or null. */
function unlessEmpty<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess(
    (value) => (value === '' || value === null ? undefined : value),
    schema.optional(),
  );
}

/**
 * A plan as a model may write it: plain tool calls. What else a plan can say (sub-plans, lookups, waits,
 * approvals, what an effect is) is not a model's to say and is dropped.
 */
export const proposedPlanSchema = z.object({
  name: unlessEmpty(z.string().max(200)),
  steps: z
    .array(
      z.object({
        id: z.string().regex(stepIdPattern),
        title: unlessEmpty(z.string().max(500)),
        tool: z.string().min(1).max(500),
        args: z.record(z.string(), z.json()).default({}),
        when: unlessEmpty(z.union([z.string(), z.boolean()])),
        forEach: unlessEmpty(z.union([z.string(), z.array(z.json())])),
        onFailure: unlessEmpty(z.enum(['stop', 'skip', 'repair'])),
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

/** Without tools any name is allowed. */
export function stepsJsonSchema(tools: readonly string[]): JsonSchema {
  const text = { type: 'string' };
  const step = {
    type: 'object',
    properties: {
      id: text,
      title: text,
      tool: tools.length > 0 ? { type: 'string', enum: tools } : text,
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
  const plan = planSchema.parse({ version: 1, ...proposed, goal: goal.slice(0, 10_000) });
  const ids = plan.steps.map(({ id }) => id);
  return { ...plan, steps: plan.steps.map((step) => escapeLiterals(step, ids)) };
}

/**
 * A model that writes a file into `args` writes the template literals of that file, too, and `${…}` is a reference in
 * plans. In texts of several lines only what can be a reference stays one; in short texts a wrong one is a mistake that
 * the check reports.
 */
export function escapeLiterals(step: Step, ids: readonly string[]): Step {
  if (!step.args) return step;
  const roots = [
    ...ids.filter((id) => id !== step.id).map((id) => String.raw`${id}(?=[.\[}])`),
    String.raw`input\.(?:file_\d+|last_[a-z]+)\b`,
    String.raw`run\.id\b`,
    ...(step.forEach === undefined ? [] : [String.raw`(?:item|index)\b`]),
  ];
  const literal = new RegExp(String.raw`(?<!\$)\$\{(?!\s*(?:${roots.join('|')}))`, 'g');
  const escape = (value: Json): Json => {
    if (typeof value === 'string') {
      return value.includes('\n') ? value.replaceAll(literal, '$$$${') : value;
    }
    if (Array.isArray(value)) return value.map(escape);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, escape(one)]));
  };
  const args = Object.entries(step.args).map(([key, value]) => [key, escape(value)] as const);
  return { ...step, args: Object.fromEntries(args) };
}
