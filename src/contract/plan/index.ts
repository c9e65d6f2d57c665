import { z } from 'zod';
import type { DeepReadonly } from '../../kernel/index.ts';

/** What a step may be called, and the names a reference starts with that are no steps. */
export const stepIdPattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
export const reservedRoots = ['input', 'item', 'index', 'run', 'result'] as const;

/** Any JSON value; texts in it may hold references: `${step.path}`, `${input.x}`; `$${` is a literal `${`. */
const template = z.json();
const templates = z.record(z.string(), template);

/** Milliseconds, or a text such as `500ms`, `30s`, `5m`, `2h`, `1d`; references are allowed in texts. */
const duration = z.union([z.int().min(0), z.string().min(1)]);

const retry = z.strictObject({
  /** All attempts, the first included. */
  attempts: z.int().min(1).max(100).default(3),
  /** The pause before the second attempt; each further pause is `factor` times as long. */
  backoffMs: z.int().min(0).default(1_000),
  factor: z.number().min(1).max(10).default(2),
  maxBackoffMs: z.int().min(0).default(60_000),
  /** The part of a pause that is left to chance: 0 none, 1 all of it. */
  jitter: z.number().min(0).max(1).default(0.2),
  /** Error codes that are tried again, `*` at the end for a family; without it those marked as retryable. */
  on: z.array(z.string().min(1)).optional(),
});

const approval = z.strictObject({
  /** Shown to the person who decides. */
  message: z.string().optional(),
  expiresMs: z.int().min(1_000).optional(),
});

/** How to find out whether a call whose answer was lost has happened. */
const reconcile = z.strictObject({
  tool: z.string().min(1),
  args: templates.default({}),
  /** A condition over `${result…}`: true when the effect has happened. */
  happened: z.string().min(1),
  /** What the step's output is then; the lookup's own result when not given. */
  output: template.optional(),
  /**
   * From this time after the call was lost on, a call that is not found has not happened and will not. Without
   * it a person is asked, as the server may still be at work.
   */
  finalAfterMs: z.int().min(0).max(86_400_000).optional(),
});

/** Which agent does a step: by its name, or whichever is chosen of those with a capability. */
const agentWanted = z.union([
  z.string().min(1),
  z.strictObject({
    name: z.string().min(1).optional(),
    capability: z.string().min(1).optional(),
    version: z.string().min(1).optional(),
  }),
]);

/**
 * One step. Exactly one of `tool`, `agent`, `sleep`, `wait`, `plan` says what it is; with none of them
 * `approval` alone is a gate. Which step comes before which follows from the references.
 */
export const stepSchema = z.strictObject({
  id: z.string().regex(stepIdPattern),
  title: z.string().optional(),
  tool: z.string().min(1).optional(),
  args: templates.optional(),
  /** An agent that does `task` in a run of its own; it becomes a call of `agent.delegate`. */
  agent: agentWanted.optional(),
  task: z.string().min(1).optional(),
  /** Values for the agent, by name. */
  inputs: templates.optional(),
  /** A context that the agent gets: the name or id of a version. */
  context: z.string().min(1).optional(),
  sleep: duration.optional(),
  wait: z
    .union([
      z.string().min(1),
      z.strictObject({ signal: z.string().min(1), timeoutMs: z.int().min(1).optional() }),
    ])
    .optional(),
  /** A plan within the plan, or the path of its file, beside the file of this plan. */
  get plan() {
    return z.union([z.string().min(1), planSchema]).optional();
  },
  /** Values for the inputs of a sub-plan. */
  input: templates.optional(),
  /** Runs only when this holds: comparisons, `&& || !`, `exists()` over references. */
  when: z.union([z.string().min(1), z.boolean()]).optional(),
  /** Runs once for each element of a list; `${item}` and `${index}` in `args`. The output is a list. */
  forEach: z.union([z.string().min(1), z.array(template)]).optional(),
  concurrency: z.int().min(1).optional(),
  retry: z.union([z.int().min(1).max(100), retry]).optional(),
  /** Of one attempt. */
  timeoutMs: z.int().min(1).optional(),
  approval: z.union([z.boolean(), approval]).optional(),
  /** stop: the run fails · skip: the step counts as skipped · repair: the run waits for corrected arguments. */
  onFailure: z.enum(['stop', 'skip', 'repair']).optional(),
  /** Takes an earlier result of the same read-only call, of any run of the same caller. */
  cache: z.union([z.boolean(), z.strictObject({ ttlMs: z.int().min(1) })]).optional(),
  /**
   * What happens when the call is repeated, where the tool's annotations do not say: read (nothing),
   * idempotent (the same as once), once (a second effect: never repeated on its own).
   */
  effect: z.enum(['read', 'idempotent', 'once']).optional(),
  reconcile: reconcile.optional(),
});

/** A plan as people and models write it, in YAML or JSON. */
export const planSchema = z.strictObject({
  version: z.literal(1).default(1),
  name: z.string().min(1).max(200).optional(),
  goal: z.string().max(10_000).optional(),
  /** What a run is given, by name: a JSON Schema each; one without `default` is required. */
  input: z.record(z.string(), z.record(z.string(), z.json())).optional(),
  steps: z.array(stepSchema).min(1),
  /** What a run returns; without it the outputs of the steps that no other step refers to, by id. */
  output: template.optional(),
  /** Of a whole run. */
  timeoutMs: z.int().min(1).optional(),
});

/** All fields by position; used to suggest the right one for a mistyped field. */
export const planFields = {
  plan: Object.keys(planSchema.shape),
  steps: Object.keys(stepSchema.shape),
  retry: Object.keys(retry.shape),
  approval: Object.keys(approval.shape),
  reconcile: Object.keys(reconcile.shape),
  wait: ['signal', 'timeoutMs'],
  agent: ['name', 'capability', 'version'],
  cache: ['ttlMs'],
} as const;

export type Plan = z.output<typeof planSchema>;
export type Step = z.output<typeof stepSchema>;
export type RetryPolicy = z.output<typeof retry>;
export type Json = z.output<ReturnType<typeof z.json>>;

/** Something wrong with a plan, and where. */
const planProblemSchema = z.object({
  /** The step it belongs to, `outer/inner` within a sub-plan; null for the plan as a whole. */
  step: z.string().nullable(),
  path: z.string().describe('Where in the plan: steps[2].args.code.'),
  /** Line in the file, from 1; null where the plan did not come as text. */
  line: z.int().nullable(),
  file: z.string().exactOptional().describe('The file of the sub-plan it lies in.'),
  /** `plan.unknown_tool`, … (`contract/error/error-codes.json`). */
  code: z.string(),
  message: z.string(),
  /** `warning` does not keep the plan from running. */
  severity: z.enum(['error', 'warning']),
});

/** What is known about a plan before anything of it runs. */
export const planCheckSchema = z.object({
  ok: z.boolean(),
  errors: z.array(planProblemSchema),
  warnings: z.array(planProblemSchema),
  edges: z.array(z.array(z.string())).describe('`[from, to]`: `to` needs what `from` gives.'),
  optimizations: z
    .array(z.string())
    .describe('What optimizing changed, or would change where it was not asked for.'),
  /** Sub-plans in place, defaults filled in. */
  plan: planSchema.exactOptional().describe('As it would run; absent when it is not well-formed.'),
});

export type PlanProblem = DeepReadonly<z.output<typeof planProblemSchema>>;
export type PlanCheck = DeepReadonly<Omit<z.output<typeof planCheckSchema>, 'plan' | 'edges'>> & {
  readonly edges: readonly (readonly [from: string, to: string])[];
  readonly plan?: Plan;
};
