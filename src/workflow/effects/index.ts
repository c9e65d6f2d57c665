export {
  approvalPolicy,
  type ApprovalRow,
  type EffectRow,
  type EffectStore,
  type RowChange,
  type RowRequest,
  type StepRows,
  type CachedResult,
  type CacheKey,
  type StepCache,
  type StepTracer,
  type ToolCaller,
} from './effect-ports.ts';
export { createApprovals, type Approvals } from './approvals.ts';
export { createActivities, effectFaultPoints } from './create-activities.ts';
