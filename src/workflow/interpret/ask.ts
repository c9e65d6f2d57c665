import { noteChange } from './note-change.ts';
import type { Phase, RunState, Task } from './run-state.ts';

/** Has the task stand in line for an activity; which one follows from the phase. */
export function queueActivity(
  run: RunState,
  task: Task,
  phase: Extract<Phase, 'when' | 'items' | 'ask' | 'call'>,
): void {
  task.phase = phase;
  run.queued.push(task);
}

interface Sleep {
  readonly phase: 'sleep' | 'backoff';
  readonly key: string;
  readonly ms: number;
}

export function askForSleep(run: RunState, task: Task, { phase, key, ms }: Sleep): void {
  task.phase = phase;
  run.outstanding.set(key, task);
  run.scope.sleep(key, ms);
  noteChange(run, task, { status: 'running' });
}

interface SignalWait {
  readonly phase: Extract<Phase, 'verdict' | 'resolve' | 'repair' | 'wait'>;
  readonly key: string;
  readonly signal: string;
  readonly timeoutMs?: number | undefined;
}

export function askForSignal(run: RunState, task: Task, wait: SignalWait): void {
  task.phase = wait.phase;
  run.outstanding.set(wait.key, task);
  run.scope.waitForSignal(
    wait.key,
    wait.signal,
    wait.timeoutMs === undefined ? {} : { timeoutMs: wait.timeoutMs },
  );
}
