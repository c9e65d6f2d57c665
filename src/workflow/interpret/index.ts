export { interpret } from './interpret.ts';
export { journalForFork, type LeftEffect, stepsToForget } from './forget-steps.ts';
export { isWithin, pathOfKey, repairSignal } from './keys.ts';
export {
  projectRun,
  type ProjectedWait,
  type RecordedRun,
  type RunProjection,
} from './projection.ts';
export { preparePlans, type PreparePlan } from './program.ts';
export {
  dueTimes,
  generations,
  RecordedOrder,
  settledEntries,
  standingEntries,
  type KeyEntry,
} from './recorded-order.ts';
export type { InterpretOptions, RunOutcome, StepProjection } from './run-state.ts';
