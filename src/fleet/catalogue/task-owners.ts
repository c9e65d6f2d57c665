import { localCaller, type Caller } from '../../contract/caller/index.ts';
import { isRecord } from '../../protocol/index.ts';
import { UnknownNameError } from '../errors.ts';

/** Tasks whose owner is known; beyond it the oldest are forgotten. */
const maxTasks = 10_000;

/**
 * Which caller's request became which task of a server: servers have one client, us, and cannot tell our callers
 * apart. A task whose owner is not known belongs to the user at this machine.
 */
export class TaskOwners {
  readonly #owners = new Map<string, string>();

  /** Notes the owner of a task that a result of the caller names. */
  note(result: object, caller: Caller): void {
    if (caller.id === localCaller.id) return;
    const { task, taskId } = Object(result);
    const id: unknown = isRecord(task) ? task['taskId'] : taskId;
    if (typeof id !== 'string' || this.#owners.has(id)) return;
    this.#owners.set(id, caller.id);
    const [oldest] = this.#owners.size > maxTasks ? this.#owners.keys() : [];
    if (oldest !== undefined) this.#owners.delete(oldest);
  }

  /** Throws for a task of another caller as for one that does not exist. */
  check(taskId: unknown, caller: Caller): void {
    if (typeof taskId !== 'string' || this.#ownerOf(taskId) === caller.id) return;
    throw new UnknownNameError('task', taskId);
  }

  ofCaller(answer: object, caller: Caller): object {
    const { tasks } = Object(answer);
    if (!Array.isArray(tasks)) return answer;
    const own = tasks.filter(
      (task: unknown) =>
        isRecord(task) &&
        typeof task['taskId'] === 'string' &&
        this.#ownerOf(task['taskId']) === caller.id,
    );
    return own.length === tasks.length ? answer : { ...answer, tasks: own };
  }

  #ownerOf(taskId: string): string {
    return this.#owners.get(taskId) ?? localCaller.id;
  }
}
