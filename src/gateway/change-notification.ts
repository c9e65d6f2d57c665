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
