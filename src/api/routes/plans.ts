import { z } from 'zod';
import { planCheckSchema } from '../../contract/plan/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import { type ApiRoute, routesOf } from '../define-route.ts';
import { InvalidRequestError } from '../errors.ts';

const { post } = routesOf('Plans');
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

export const planRoutes: readonly ApiRoute[] = [
  post('/plans/check', {
    summary: 'Check a plan against the tools there are; runs nothing',
    permission: 'plans.check',
    repeat: 'safe',
    body: z.strictObject({ plan: planBody, optimize: z.boolean().default(false) }),
    answer: planCheckSchema,
    handle: ({ caller, body: { plan, optimize } }, { workflows }) =>
      workflows.check(caller, sourceOf(plan), { optimize }),
  }),
  post('/plans/draw', {
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
