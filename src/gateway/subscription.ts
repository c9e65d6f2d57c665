import type { Caller } from '../contract/caller/index.ts';
import type { ServerChange } from '../contract/server/index.ts';
import {
  encodeNotification,
  encodeResult,
  isRecord,
  metaKey,
  type Params,
  type Request,
} from '../protocol/index.ts';
import type { Serving } from './answer-request.ts';
import { serverInfo } from './capabilities.ts';
import { encodeChange } from './change-notification.ts';
import { checkMethod } from './method-permissions.ts';
import { invalidParams } from './rpc-failure.ts';
import { WatchedResources } from './watched-resources.ts';

/** An open `subscriptions/listen`. */
export interface Subscription {
  /** Ended by the client: nothing more is sent. */
  cancel(): void;
  /** Ended by the server: the request gets its result. */
  finish(): void;
}

interface Filter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

/**
 * Serves `subscriptions/listen`: acknowledges, then sends each requested change, tagged with the id of the
 * request. Throws for an invalid filter.
 */
export function openSubscription(
  { serving, caller }: { readonly serving: Serving; readonly caller: Caller },
  request: Request,
  send: (text: string) => void,
): Subscription {
  const { server } = serving;
  checkMethod(request.method, caller, serving.onForbidden);
  const filter = readFilter(request.params['notifications']);
  const params = { _meta: { [metaKey.subscriptionId]: request.id } };
  send(
    encodeNotification('notifications/subscriptions/acknowledged', {
      ...params,
      notifications: filter,
    }),
  );
  const watched = new WatchedResources(serving, caller);
  const stopListening = server.onChange((change) => {
    if (isWanted(filter, change, watched)) send(encodeChange(change, params));
  });
  for (const uri of filter.resourceSubscriptions ?? []) void watched.add(uri);
  const cancel = (): void => {
    stopListening();
    watched.clear();
  };
  return {
    cancel,
    finish: () => {
      cancel();
      const _meta = { ...params._meta, [metaKey.serverInfo]: serverInfo(server) };
      send(encodeResult(request.id, { resultType: 'complete', _meta }));
    },
  };
}

const maxResources = 1_000;
const kinds = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;

/** The accepted filter: members that are false or unknown are left out. */
function readFilter(value: unknown): Filter {
  if (!isRecord(value)) throw invalidParams('params.notifications must be an object');
  for (const kind of kinds) {
    if (value[kind] !== undefined && typeof value[kind] !== 'boolean') {
      throw invalidParams(`params.notifications.${kind} must be true or false`);
    }
  }
  const wanted = kinds.filter((kind) => value[kind] === true).map((kind) => [kind, true]);
  return { ...Object.fromEntries(wanted), ...readResources(value) };
}

function readResources(value: Params): Filter {
  const { resourceSubscriptions: uris } = value;
  if (uris === undefined) return {};
  const isList = Array.isArray(uris) && uris.every((uri) => typeof uri === 'string');
  if (!isList || uris.length > maxResources) {
    throw invalidParams(
      `params.notifications.resourceSubscriptions must be at most ${maxResources} strings`,
    );
  }
  return uris.length > 0 ? { resourceSubscriptions: uris } : {};
}

function isWanted(filter: Filter, change: ServerChange, watched: WatchedResources): boolean {
  if (change.kind === 'resource') {
    return watched.has(change.uri);
  }
  // The stateless era sends log messages only for requests that ask for them.
  if (change.kind === 'log') return false;
  return filter[`${change.kind}ListChanged`] === true;
}
