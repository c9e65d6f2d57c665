import { isRecord } from '../../protocol/index.ts';
import { UnknownNameError } from '../errors.ts';
import type { FleetServer } from './fleet-server.ts';

type Params = Readonly<Record<string, unknown>>;

/** Tasks shown in one answer to `tasks/list`; servers keep far fewer. */
const maxListedTasks = 10_000;
const maxPages = 100;

/**
 * Routes a task request to the server that owns the task, with the server's own task id. With a single
 * server every request is passed on unchanged.
 */
export async function routeTasks(
  servers: readonly FleetServer[],
  { method, params }: { readonly method: string; readonly params: Params },
  send: (server: FleetServer, params: Params) => Promise<object>,
): Promise<object> {
  const [only] = servers;
  if (servers.length === 1 && only) return send(only, params);
  const { taskId } = params;
  if (typeof taskId === 'string') {
    const inner = innerTaskId(taskId);
    const owner = servers.find(({ name }) => name === inner?.server);
    if (!inner || !owner) throw new UnknownNameError('task', taskId);
    return send(owner, { ...params, taskId: inner.id });
  }
  if (method !== 'tasks/list') throw new UnknownNameError('method', method);
  return { tasks: await listTasks(servers, params, send) };
}

/**
 * All tasks in one page: the cursors of several servers cannot be combined. Fails only when every server
 * fails.
 */
async function listTasks(
  servers: readonly FleetServer[],
  params: Params,
  send: (server: FleetServer, params: Params) => Promise<object>,
): Promise<readonly unknown[]> {
  const able = servers.filter(({ listing }) => listing?.extensions?.tasks !== undefined);
  const lists = await Promise.allSettled(
    able.map(async (server) => {
      const tasks: unknown[] = [];
      let { cursor } = params;
      for (let page = 0; page < maxPages && tasks.length < maxListedTasks; page += 1) {
        const answer = await send(server, { ...params, ...(page > 0 && { cursor }) });
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

/** The `_meta` key that relates a message to a task. */
const relatedTaskKey = 'io.modelcontextprotocol/related-task';

/** Members that may name a task; hardly any result has one. */
const namingMembers = ['taskId', 'task', 'tasks', '_meta'] as const;

/** The task id for clients, with the name of the server. */
export function outerTaskId(server: string, id: string): string {
  return `${encodeURIComponent(server)}:${id}`;
}

/** Splits a client's task id; undefined for an id we did not issue. */
function innerTaskId(outer: string): { readonly server: string; readonly id: string } | undefined {
  const at = outer.indexOf(':');
  if (at <= 0) return undefined;
  try {
    return { server: decodeURIComponent(outer.slice(0, at)), id: outer.slice(at + 1) };
  } catch {
    return undefined;
  }
}

/** The same object when it names no task, otherwise a copy with `rename` applied to each id. */
export function renameTasks<Value extends object>(
  value: Value,
  rename: (id: string) => string,
): Value {
  // A view of the same object: any object may be read by key.
  const members = value as Readonly<Record<string, unknown>>;
  if (namingMembers.every((name) => members[name] === undefined)) return value;
  const changes: Record<string, unknown> = {};
  if (typeof members['taskId'] === 'string') changes['taskId'] = rename(members['taskId']);
  const { task } = members;
  if (isRecord(task) && typeof task['taskId'] === 'string') {
    changes['task'] = { ...task, taskId: rename(task['taskId']) };
  }
  const meta = members['_meta'];
  const related = isRecord(meta) ? meta[relatedTaskKey] : undefined;
  if (isRecord(meta) && isRecord(related) && typeof related['taskId'] === 'string') {
    const renamed = { ...related, taskId: rename(related['taskId']) };
    changes['_meta'] = { ...meta, [relatedTaskKey]: renamed };
  }
  const { tasks } = members;
  if (Array.isArray(tasks)) {
    changes['tasks'] = tasks.map((one: unknown) =>
      isRecord(one) ? renameTasks(one, rename) : one,
    );
  }
  return Object.keys(changes).length === 0 ? value : { ...value, ...changes };
}
