export { createPlanChecker } from './plan-checker.ts';
export { createWorkflows, embeddedExecutor } from './create-workflows.ts';
export { keepPruning } from './prune-runs.ts';
export { toStoredOutcome } from './describe-run.ts';
export type { BeginTrace, RunExecutor, WorkflowsParts } from './workflows-parts.ts';
