import { z } from 'zod';
import { type PlanCheck, planCheckSchema, type PlanProblem } from '../../contract/plan/index.ts';
import type { Workflows, PlanSource } from '../../contract/run/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import type { DeepReadonly } from '../../kernel/index.ts';
import texts from './tools.json' with { type: 'json' };

/** More do not help: the first mistakes often cause the others. */
const maxProblems = 100;
const maxEdges = 1_000;
const maxDrawingChars = 8_000;

const outputSchema = planCheckSchema.omit({ plan: true }).extend({
  omittedProblems: z.int().optional().describe('How many more there are.'),
  drawing: z.string().optional().describe('The plan as a drawing for people.'),
});

/** The tool `check_plan`: what is wrong with a plan, before anything of it runs. */
export function checkPlanTool(workflows: Pick<Workflows, 'check' | 'draw'>): DefinedTool {
  return defineTool({
    ...texts.check_plan,
    input: z.strictObject({
      plan: planArgument,
      optimize: z
        .boolean()
        .optional()
        .describe('Say what merging and dropping steps would change.'),
    }),
    output: outputSchema,
    run: async ({ plan, optimize }, { caller }) => {
      const options = optimize === undefined ? {} : { optimize };
      return showCheck(await workflows.check(caller, sourceOf(plan), options), workflows);
    },
    summarize: summarizeCheck,
  });
}

async function showCheck(
  check: PlanCheck,
  workflows: Pick<Workflows, 'draw'>,
): Promise<DeepReadonly<z.input<typeof outputSchema>>> {
  const shown = [...check.errors, ...check.warnings].slice(0, maxProblems);
  const omitted = check.errors.length + check.warnings.length - shown.length;
  const drawing = check.ok && check.plan ? await workflows.draw(check.plan, 'text') : '';
  return {
    ok: check.ok,
    errors: shown.filter(({ severity }) => severity === 'error'),
    warnings: shown.filter(({ severity }) => severity === 'warning'),
    ...(omitted > 0 && { omittedProblems: omitted }),
    edges: check.edges.slice(0, maxEdges),
    optimizations: check.optimizations,
    ...(drawing !== '' && drawing.length <= maxDrawingChars && { drawing }),
  };
}

function summarizeCheck(check: z.output<typeof outputSchema>): string {
  const { ok, errors, warnings, omittedProblems = 0, optimizations, drawing } = check;
  return [
    ok ? 'The plan can run.' : 'The plan cannot run.',
    ...[...errors, ...warnings].map(describeProblem),
    ...(omittedProblems > 0 ? [`… and ${omittedProblems} more`] : []),
    ...optimizations,
    ...(drawing === undefined ? [] : ['', drawing]),
  ].join('\n');
}

function describeProblem({ severity, step, path, line, code, message }: PlanProblem): string {
  const place = [step === null ? '' : `step ${step}`, path, line === null ? '' : `line ${line}`];
  return `${severity} ${code} at ${place.filter((part) => part !== '').join(', ')}: ${message}`;
}

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
