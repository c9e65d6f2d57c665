export { createPlanner } from './planner.ts';
export type { AboutTopic } from './read-intent-class.ts';
export type { Planner, PlanningAnswer, PlanningRequest, ProjectFiles } from './plan-request.ts';
