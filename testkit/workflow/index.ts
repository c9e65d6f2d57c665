export { Crashed, MemoryEngine, type TimedActivity } from './memory-engine.ts';
export { referenceRun } from './reference-run.ts';
export { call, echo, runSteps } from './run-steps.ts';
export { scriptedActivity, type Script } from './scripted-activity.ts';
