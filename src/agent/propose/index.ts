export { noteOnPreferences, preferencesUsed, type UsedPreference } from './apply-preferences.ts';
export {
  createCapability,
  findByOtherName,
  isHarmless,
  isHousekeeping,
  isCheapToTry,
  isOfferable,
  type Capability,
  type IsTrusted,
} from './capability.ts';
export { describeOffered, describeWithin, nameTool } from './describe-tool.ts';
export { guardStep, type AgentApproval, type GuardRules } from './guard-plan.ts';
export { fixCapability, offerTools, type ToolSource } from './offer-tools.ts';
export {
  collectInputs,
  describeInput,
  type PlanInput,
  missingInputs,
  supplyInputs,
} from './plan-inputs.ts';
export { orderAfterEffects } from './order-after-effects.ts';
export { noteOnReads, previewPlan, previewSteps } from './preview-plan.ts';
export {
  judgePlan,
  proposeWithModel,
  type PlanChecker,
  repairArguments,
} from './propose-with-model.ts';
export { proposeWithoutModel } from './propose-without-model.ts';
export type { ChangeMade, ListChanges } from './name-undo.ts';
export { planMessage } from './plan-message.ts';
export { planOf, proposedPlanSchema, stepsJsonSchema } from './proposed-plan.ts';
export { unnamedReads } from './unnamed-reads.ts';
