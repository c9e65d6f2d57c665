import { isRunning } from '../../kernel/index.ts';
import { isOwnerDead, newGroupName, ownerOfGroup } from '../resources/group-name.ts';

/** Where processes have no namespaces they all count alike. */
const onlyNamespace = '0';

/** A name for a container that says who owns it, so that a later Tutti can tell whether that one lives. */
export function newContainerName(): string {
  if (process.platform === 'linux') return newGroupName();
  return newGroupName({ namespace: onlyNamespace, pid: process.pid, startedAt: '0' });
}

/** True only when it is certain: a container whose owner cannot be looked at is left alone. */
export function isContainerLeft(name: string): boolean {
  const owner = ownerOfGroup(name.replace(/^\//, ''));
  if (owner === undefined) return false;
  if (process.platform === 'linux') return isOwnerDead(owner);
  return owner.namespace === onlyNamespace && !isRunning(owner.pid);
}
