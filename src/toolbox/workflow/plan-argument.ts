import { z } from 'zod';
import type { PlanSource } from '../../contract/run/index.ts';

const maxPlanChars = 5_000_000;

/** A plan as models and programs give it. What is wrong with it is found by the check, not by this schema. */
export const planArgument = z
  .union([z.record(z.string(), z.json()), z.string().min(1).max(maxPlanChars)])
  .describe(
    'The plan: an object, or YAML or JSON text. {goal?, input?: {NAME: JSON Schema}, steps: [{id, tool: "server.tool", args}], output?}. ' +
      'Texts in args may refer to what is there before: "${STEP.path}", "${input.NAME}"; order and parallelism follow from these references. ' +
      'A step may also have when, forEach (with ${item}), retry, timeoutMs, approval, onFailure, cache; or be sleep, wait or a sub-plan instead of a tool.',
  );

export function sourceOf(plan: z.output<typeof planArgument>): PlanSource {
  return typeof plan === 'string' ? { kind: 'text', text: plan } : { kind: 'data', plan };
}
