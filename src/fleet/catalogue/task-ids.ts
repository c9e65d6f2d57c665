import { isRecord } from '../../protocol/index.ts';

/** Where messages that belong to a task name it. */
const relatedTaskKey = 'io.modelcontextprotocol/related-task';

/** Hardly any result has one of these. */
const namingMembers = ['taskId', 'task', 'tasks', '_meta'] as const;

/** The id under which clients know a task of one of several servers. */
export function outerTaskId(server: string, id: string): string {
  return `${encodeURIComponent(server)}:${id}`;
}

/** The server and its own id of a task; undefined for an id that we did not give out. */
export function innerTaskId(
  outer: string,
): { readonly server: string; readonly id: string } | undefined {
  const at = outer.indexOf(':');
  if (at <= 0) return undefined;
  try {
    return { server: decodeURIComponent(outer.slice(0, at)), id: outer.slice(at + 1) };
  } catch {
    return undefined;
  }
}

/** The same object when no task is named in it, else a copy in which `rename` was applied to each id. */
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
