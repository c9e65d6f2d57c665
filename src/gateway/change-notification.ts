import { isPermitted } from '../contract/access/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import type { ServerChange } from '../contract/server/index.ts';
import { encodeNotification, type Params } from '../protocol/index.ts';
import { logMethod } from './log-levels.ts';

/** A change of the server as a notification; `params` are added to its own. */
export function encodeChange(change: ServerChange, params?: Params): string {
  switch (change.kind) {
    case 'resource':
      return encodeNotification('notifications/resources/updated', { ...params, uri: change.uri });
    case 'log':
      return encodeNotification(
        logMethod,
        params ? { ...change.params, ...params } : change.params,
      );
    case 'tools':
    case 'prompts':
    case 'resources':
      return encodeNotification(`notifications/${change.kind}/list_changed`, params);
  }
}

/** What servers log outside of calls may be about calls of others: it is for callers that manage all servers. */
export function seesChange(caller: Caller, { kind }: ServerChange): boolean {
  if (kind !== 'log') return true;
  return caller.scopes === undefined && isPermitted(caller, 'servers.manage');
}
