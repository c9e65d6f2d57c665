import type { Tool } from '../../contract/tool/index.ts';
import { AppError } from '../../kernel/index.ts';
import { isRecord, type Params } from '../../protocol/index.ts';
import { BadAnswerError } from '../errors.ts';
import type { DraftRequest } from './request-text.ts';

/** How long the server keeps the result of a task that only we know of. */
const keptMs = 10 * 60_000;

const unsent: ReadonlySet<string> = new Set([
  'fleet.server_not_reading',
  'fleet.server_unavailable',
  'fleet.session_expired',
  'fleet.unreachable',
]);

/** Whether a tool of a handshake server runs only as a task, and the caller did not request one. */
export function needsTask(tool: Tool | undefined, extra: Params | undefined): boolean {
  const execution = tool && 'execution' in tool ? tool.execution : undefined;
  const isRequired = isRecord(execution) && execution['taskSupport'] === 'required';
  return isRequired && extra?.['task'] === undefined;
}

export interface TaskRun {
  readonly server: string;
  readonly signal: AbortSignal;
  /** Sends a request of the caller. */
  readonly send: (draft: DraftRequest) => Promise<Params>;
  /** The error of a task whose result is lost. */
  readonly lost: (reason: string, cause: unknown) => Error;
  /** Sends a request without waiting for its result. */
  readonly sendInBackground: (draft: DraftRequest) => void;
}

/**
 * Runs a task-only tool for a caller without task support, or with that of the other era: creates the task,
 * waits for it and cancels it when the caller cancels.
 */
export async function runAsTask(draft: DraftRequest, run: TaskRun): Promise<Params> {
  const task = ['task', JSON.stringify({ ttl: keptMs })] as const;
  const created = await run.send({ ...draft, members: [...draft.members, task] });
  const taskId = isRecord(created['task']) ? created['task']['taskId'] : undefined;
  // A server may ignore the request for a task and answer at once.
  if (taskId === undefined) return created;
  if (typeof taskId !== 'string') throw new BadAnswerError(run.server, 'the task has no id');
  const members = [['taskId', JSON.stringify(taskId)]] as const;
  try {
    return await run.send({ method: 'tasks/result', members, subject: taskId });
  } catch (error) {
    if (run.signal.aborted)
      run.sendInBackground({ method: 'tasks/cancel', members, subject: taskId });
    // `tasks/result` may not have reached the server, but the task did.
    const isUnsent = !run.signal.aborted && error instanceof AppError && unsent.has(error.code);
    throw isUnsent ? run.lost(error.message, error) : error;
  }
}
