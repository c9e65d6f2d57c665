export { interpret } from './interpret.ts';
export { journalForFork, type LeftEffect } from './journal-for-fork.ts';
export { isWithin, pathOfKey } from './keys.ts';
export { picture } from './picture.ts';
export { preparePlans, type PreparePlan } from './prepare-plans.ts';
export { RecordedOrder, settledEntries } from './recorded-order.ts';
export { stepsToForget } from './steps-to-forget.ts';
export type { InterpretOptions, RunOutcome, StepChange } from './run-outcome.ts';
export type { PictureWait, RecordedRun, RunPicture, StepPicture } from './run-picture.ts';
