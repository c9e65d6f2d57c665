export { checkInput } from './check-declarations.ts';
export type { KnownAgent } from './check-delegation.ts';
export { drawPlan } from './draw/draw-plan.ts';
export { inspectPlan, type InspectOptions } from './inspect-plan.ts';
export type { ToolLookup } from './plan-types.ts';
