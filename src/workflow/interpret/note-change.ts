import type { ErrorReport } from '../../contract/error/index.ts';
import type { StepStatus } from '../../contract/run/index.ts';
import type { Held } from '../engine/activity-data.ts';
import type { RunState, Task } from './run-state.ts';
import type { StepPicture } from './step-picture.ts';

export interface Change {
  readonly status: StepStatus;
  readonly held?: Held | undefined;
  readonly error?: ErrorReport | undefined;
  readonly items?: { readonly total: number; readonly done: number };
}

/** Tells whoever watches. Costs nothing when nobody does. */
export function noteChange(run: RunState, task: Task, change: Change): void {
  const { observe } = run.options;
  if (observe === undefined) return;
  const { held, error, items } = change;
  const noted: { -readonly [Key in keyof StepPicture]: StepPicture[Key] } = {
    status: change.status,
    tool: task.program.tool,
    startedAt: task.startedAt,
    endedAt: task.endedAt,
    attempts: task.attempt,
  };
  if (held !== undefined) noted.held = held;
  if (error !== undefined) noted.error = error;
  if (items !== undefined) noted.items = items;
  if (task.text !== undefined) noted.text = task.text;
  if (task.isCached) noted.isCached = true;
  observe(task.path, noted);
}
