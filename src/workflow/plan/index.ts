export { compilePlan, type CompiledPlan, type CompiledStep } from './compile-plan.ts';
export { parseCondition, type Condition } from './condition.ts';
export { delegateTool } from './delegate-steps.ts';
export { parsePlan, type ParseOptions } from './parse-plan.ts';
export { formatPath, formatReference, type Reference } from './reference.ts';
export type { Template } from './template.ts';
