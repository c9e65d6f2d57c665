import type { Json, Plan, Step } from '../../contract/plan/index.ts';

/** The tool of ours by which agents do steps. */
const delegateTool = 'agent.delegate';

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
