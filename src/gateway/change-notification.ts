import type { ServerChange } from '../contract/server/index.ts';
import { encodeNotification, type Params } from '../protocol/index.ts';

/** A change of the server as clients read it; `params` are added to the ones it has itself. */
export function encodeChange(change: ServerChange, params?: Params): string {
  if (change.kind === 'resource') {
    return encodeNotification('notifications/resources/updated', { ...params, uri: change.uri });
  }
  return encodeNotification(`notifications/${change.kind}/list_changed`, params);
}
