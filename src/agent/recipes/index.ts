export { createRecipePlanner, type LookAhead } from './create-recipe-planner.ts';
