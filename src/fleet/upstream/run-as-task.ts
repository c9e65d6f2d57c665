import type { Tool } from '../../contract/tool/index.ts';
import { AppError } from '../../kernel/index.ts';
import { isRecord, type Params } from '../../protocol/index.ts';
import { BadAnswerError } from '../errors.ts';
import type { DraftRequest } from './request-text.ts';

/** How long the server keeps the result of a task nobody but us knows of. */
const keptMs = 10 * 60_000;

const unsent: ReadonlySet<string> = new Set([
  'fleet.server_not_reading',
  'fleet.server_unavailable',
  'fleet.session_expired',
  'fleet.unreachable',
]);

/** Whether a tool of a handshake server runs as a task only, and the caller did not ask for one. */
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
  /** The error of a task whose result will not come. */
  readonly lost: (reason: string, cause: unknown) => Error;
  /** Sends what nobody waits for. */
  readonly sendInBackground: (draft: DraftRequest) => void;
}

/**
 * Runs a tool that insists on being a task for a caller who knows no tasks, or only those of the
 * other era: the task is created, waited for and, when the caller gives up, cancelled.
 */
export async function runAsTask(draft: DraftRequest, run: TaskRun): Promise<Params> {
  const task = ['task', JSON.stringify({ ttl: keptMs })] as const;
  const created = await run.send({ ...draft, members: [...draft.members, task] });
  const taskId = isRecord(created['task']) ? created['task']['taskId'] : undefined;
  // A server may ignore the wish and answer at once.
  if (taskId === undefined) return created;
  if (typeof taskId !== 'string') throw new BadAnswerError(run.server, 'a task without an id');
  const members = [['taskId', JSON.stringify(taskId)]] as const;
  try {
    return await run.send({ method: 'tasks/result', members, subject: taskId });
  } catch (error) {
    if (run.signal.aborted)
      run.sendInBackground({ method: 'tasks/cancel', members, subject: taskId });
    // The question for its result may not have reached the server; the task has.
    const isUnsent = !run.signal.aborted && error instanceof AppError && unsent.has(error.code);
    throw isUnsent ? run.lost(error.message, error) : error;
  }
}
