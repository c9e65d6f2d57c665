import { z } from 'zod';
import { planSchema, type PlanProblem } from '../../contract/plan/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import { defineRoute, type ApiRoute } from '../define-route.ts';
import { InvalidRequestError } from '../errors.ts';

const group = 'Plans';
const maxPlanChars = 4_000_000;

/**
 * A plan as it is given. What is wrong with it is found by the check, which knows the tools, so the schema of plans
 * is for the document only.
 */
export const planBody = z
  .union([z.record(z.string(), z.json()), z.string().min(1).max(maxPlanChars)])
  .describe(
    'The plan: an object as in the schema `Plan`, or YAML or JSON text. See docs/plans.md.',
  );

/** Files that a plan names are not read: the source has no place on the disk. */
export function sourceOf(plan: z.output<typeof planBody>): PlanSource {
  return typeof plan === 'string' ? { kind: 'text', text: plan } : { kind: 'data', plan };
}

const problem = z.object({
  step: z.string().nullable(),
  path: z.string(),
  line: z.int().nullable(),
  code: z.string(),
  message: z.string(),
  severity: z.enum(['error', 'warning']),
});

const checked = z.object({
  ok: z.boolean(),
  errors: z.array(problem),
  warnings: z.array(problem),
  edges: z.array(z.array(z.string())).describe('`[from, to]`: `to` needs what `from` gives.'),
  optimizations: z.array(z.string()),
  plan: planSchema.optional().describe('As it would run; absent when it is not well-formed.'),
});

export const planRoutes: readonly ApiRoute[] = [
  defineRoute({
    method: 'post',
    path: '/plans/check',
    group,
    summary: 'Check a plan against the tools there are; runs nothing',
    permission: 'plans.check',
    repeat: 'safe',
    body: z.strictObject({ plan: planBody, optimize: z.boolean().default(false) }),
    answer: checked,
    async handle({ caller, body }, { workflows }) {
      const { optimize } = body;
      const check = await workflows.check(caller, sourceOf(body.plan), { optimize });
      return {
        ok: check.ok,
        errors: check.errors.map(showProblem),
        warnings: check.warnings.map(showProblem),
        edges: check.edges.map((edge) => [...edge]),
        optimizations: [...check.optimizations],
        ...(check.plan && { plan: check.plan }),
      };
    },
  }),
  defineRoute({
    method: 'post',
    path: '/plans/draw',
    group,
    summary: 'Draw a plan as text, Mermaid or SVG',
    permission: 'plans.check',
    repeat: 'safe',
    body: z.strictObject({
      plan: planBody,
      format: z.enum(['text', 'mermaid', 'svg']).default('text'),
    }),
    answer: z.object({ drawing: z.string() }),
    async handle({ caller, body }, { workflows }) {
      const { plan, errors } = await workflows.check(caller, sourceOf(body.plan));
      if (!plan) {
        const issues = errors.map(({ path, message }) => ({
          in: 'body' as const,
          path: `plan.${path}`,
          message,
        }));
        throw new InvalidRequestError(issues);
      }
      return { drawing: await workflows.draw(plan, body.format) };
    },
  }),
];

function showProblem({ step, path, line, code, message, severity }: PlanProblem) {
  return { step, path, line, code, message, severity };
}
