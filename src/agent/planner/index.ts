export { createPlanner } from './planner.ts';
export type { Candidate, Planner, PlanningAnswer, PlanningRequest } from './plan-request.ts';
