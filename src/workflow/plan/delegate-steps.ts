import type { Json, Plan, Step } from '../../contract/plan/index.ts';
import { recordOf } from '../../kernel/index.ts';

/** The tool of ours by which agents do steps. */
export const delegateTool = 'agent.delegate';

/** Steps of agents as the calls they stand for, in sub-plans too. Everything else knows steps of tools only. */
export function delegateSteps(plan: Plan): Plan {
  if (!plan.steps.some((step) => step.agent !== undefined || typeof step.plan === 'object')) {
    return plan;
  }
  return { ...plan, steps: plan.steps.map(delegateStep) };
}

function delegateStep(whole: Step): Step {
  if (typeof whole.plan === 'object') return { ...whole, plan: delegateSteps(whole.plan) };
  const { agent, task, inputs, context, ...step } = whole;
  if (agent === undefined || task === undefined) return whole;
  const { name, capability, version } = typeof agent === 'string' ? { name: agent } : agent;
  const args: Record<string, Json> = {
    ...(name !== undefined && { agent: name }),
    ...(capability !== undefined && { capability }),
    ...(version !== undefined && { version }),
    task,
    ...(inputs && { inputs }),
    ...(context !== undefined && { context }),
  };
  return { ...step, tool: delegateTool, args };
}

type Path = readonly (string | number)[];

/** Where a field of such a call stands in the plan as it was written. */
export function writtenPath(data: unknown, path: Path): Path {
  const field = path.findIndex(
    (segment, depth) => path[depth - 2] === 'steps' && (segment === 'args' || segment === 'tool'),
  );
  if (field < 0) return path;
  const at = path.slice(0, field);
  const { agent } = recordOf(at.reduce((value, segment) => Object(value)[segment], data));
  if (agent === undefined) return path;
  if (path[field] === 'tool') return [...at, 'agent'];
  const [name, ...rest] = path.slice(field + 1);
  if (name === undefined) return at;
  if (name === 'agent') return typeof agent === 'string' ? [...at, name] : [...at, name, 'name'];
  const isOfAgent = name === 'capability' || name === 'version';
  return isOfAgent ? [...at, 'agent', name] : [...at, name, ...rest];
}
