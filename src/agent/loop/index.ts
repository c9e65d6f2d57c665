export { replyToTask } from './continue-task.ts';
export { runTask } from './run-task.ts';
export { newTask, type Task } from './task.ts';
export type { TaskLimits } from './task-watch.ts';
