export { createPlanner } from './planner.ts';
export type { Planner, PlanningAnswer, PlanningRequest, ProjectFiles } from './plan-request.ts';
