export { createPlanner } from './planner.ts';
export type { AboutTopic } from './lexicon.ts';
export type { Planner, PlanningAnswer, PlanningRequest, ProjectFiles } from '../planning.ts';
