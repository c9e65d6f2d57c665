export { checkInput } from './check-input.ts';
export { drawPlan } from './draw/draw-plan.ts';
export { inspectPlan, type InspectOptions } from './inspect-plan.ts';
export type { ToolLookup } from './tool-lookup.ts';
