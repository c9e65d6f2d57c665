export { createPlanDesk } from './create-plan-desk.ts';
export { createWorkflows } from './create-workflows.ts';
export { embeddedExecutor } from './embedded-executor.ts';
export { keepPruning } from './prune-runs.ts';
export { toStoredOutcome } from './stored-outcome.ts';
export type { BeginTrace, RunExecutor, WorkflowsParts } from './workflows-parts.ts';
