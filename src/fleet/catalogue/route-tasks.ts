import { isRecord } from '../../protocol/index.ts';
import { UnknownNameError } from '../errors.ts';
import type { Member } from './member.ts';
import { innerTaskId } from './task-ids.ts';

type Params = Readonly<Record<string, unknown>>;

/** Tasks shown in one answer to `tasks/list`; servers keep far fewer. */
const maxListedTasks = 10_000;
const maxPages = 100;

/**
 * Sends a request about tasks to the server whose task it is, with that server's own id. With one
 * server every request goes there as it is.
 */
export async function routeTasks(
  members: readonly Member[],
  { method, params }: { readonly method: string; readonly params: Params },
  send: (member: Member, params: Params) => Promise<object>,
): Promise<object> {
  const [only] = members;
  if (members.length === 1 && only) return send(only, params);
  const { taskId } = params;
  if (typeof taskId === 'string') {
    const inner = innerTaskId(taskId);
    const owner = members.find(({ name }) => name === inner?.server);
    if (!inner || !owner) throw new UnknownNameError('task', taskId);
    return send(owner, { ...params, taskId: inner.id });
  }
  if (method !== 'tasks/list') throw new UnknownNameError('method', method);
  return { tasks: await listTasks(members, params, send) };
}

/**
 * All of them in one answer: the cursors of several servers cannot be one. A server that fails hides
 * the tasks of no other; only when all fail is that a failure.
 */
async function listTasks(
  members: readonly Member[],
  params: Params,
  send: (member: Member, params: Params) => Promise<object>,
): Promise<readonly unknown[]> {
  const able = members.filter(({ listing }) => listing?.extensions?.tasks !== undefined);
  const lists = await Promise.allSettled(
    able.map(async (member) => {
      const tasks: unknown[] = [];
      let { cursor } = params;
      for (let page = 0; page < maxPages && tasks.length < maxListedTasks; page += 1) {
        const answer = await send(member, { ...params, ...(page > 0 && { cursor }) });
        if (!isRecord(answer) || !Array.isArray(answer['tasks'])) break;
        tasks.push(...answer['tasks']);
        cursor = answer['nextCursor'];
        if (cursor === undefined) break;
      }
      return tasks;
    }),
  );
  const listed = lists.flatMap((list) => (list.status === 'fulfilled' ? [list.value] : []));
  const failed = lists.find((list) => list.status === 'rejected');
  if (failed && listed.length === 0) throw failed.reason;
  return listed.flat();
}
