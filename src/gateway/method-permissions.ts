import { ForbiddenError, isPermitted, type Permission } from '../contract/access/index.ts';
import type { Caller } from '../contract/caller/index.ts';

/**
 * What each method needs. `none`: methods that only tell how to talk to us. `tool`: the permission of the tool that is
 * called, which is decided where it is found.
 */
export const methodPermissions: ReadonlyMap<string, Permission | 'none' | 'tool'> = new Map([
  ['initialize', 'none'],
  ['ping', 'none'],
  ['server/discover', 'none'],
  ['logging/setLevel', 'none'],
  ['tools/list', 'tools.read'],
  ['tools/call', 'tool'],
  ['resources/list', 'resources.read'],
  ['resources/templates/list', 'resources.read'],
  ['resources/read', 'resources.read'],
  ['resources/subscribe', 'resources.read'],
  ['resources/unsubscribe', 'resources.read'],
  ['prompts/list', 'prompts.read'],
  ['prompts/get', 'prompts.read'],
  ['completion/complete', 'prompts.read'],
  ['subscriptions/listen', 'tools.read'],
  ['tasks/get', 'tools.call'],
  ['tasks/result', 'tools.call'],
  ['tasks/list', 'tools.call'],
  ['tasks/cancel', 'tools.call'],
  ['tasks/update', 'tools.call'],
]);

/** A request that was refused because the caller's role does not have the permission of its method. */
export interface ForbiddenMethod {
  readonly caller: Caller;
  readonly method: string;
  readonly permission: Permission;
}

/**
 * Throws `access.forbidden` when the caller may not use the method, after calling `onForbidden`; a bug, when the table
 * does not have it.
 */
export function checkMethod(
  method: string,
  caller: Caller,
  onForbidden?: (refused: ForbiddenMethod) => void,
): void {
  const permission = methodPermissions.get(method);
  if (permission === undefined) throw new Error(`Method ${method} names no permission`);
  if (permission === 'none' || permission === 'tool' || isPermitted(caller, permission)) return;
  onForbidden?.({ caller, method, permission });
  throw new ForbiddenError(caller, { permission });
}
