export { approvalPolicy } from './approval-policy.ts';
export { createApprovals, type Approvals } from './approvals.ts';
export { createActivities } from './create-activities.ts';
export type {
  ApprovalRow,
  EffectRow,
  EffectStore,
  RowChange,
  RowRequest,
  StepRows,
} from './effect-store.ts';
export { effectFaultPoints } from './fault-points.ts';
export type { CachedResult, CacheKey, StepCache } from './step-cache.ts';
export type { StepTracer } from './step-tracer.ts';
export type { ToolCaller } from './tool-caller.ts';
