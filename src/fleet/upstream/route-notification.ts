import type { ServerChange } from '../../contract/server/index.ts';
import type { Notification, Params, RequestId } from '../../protocol/index.ts';
import type { SentRequest } from './upstream-connection.ts';
import type { UpstreamLists } from './upstream-lists.ts';

export interface NotificationParts {
  /** The server's name in the fleet. */
  readonly server: string;
  readonly lists: UpstreamLists;
  readonly calls: () => readonly SentRequest[];
  readonly find: (id: RequestId | undefined) => SentRequest | undefined;
  readonly emit: (change: ServerChange) => void;
  /** The server cancelled a request of its own. */
  readonly onCancelled: (requestId: unknown) => void;
}

/** Routes a server's notification to its recipients. Unknown kinds are ignored. */
export function routeNotification(
  notification: Notification,
  during: RequestId | undefined,
  parts: NotificationParts,
): void {
  const { lists, emit } = parts;
  const { method, params } = notification;
  switch (method) {
    case 'notifications/tools/list_changed':
      lists.forget('tools');
      emit({ kind: 'tools' });
      return;
    case 'notifications/prompts/list_changed':
      lists.forget('prompts');
      emit({ kind: 'prompts' });
      return;
    case 'notifications/resources/list_changed':
      lists.forget('resources');
      lists.forget('resourceTemplates');
      emit({ kind: 'resources' });
      return;
    case 'notifications/resources/updated':
      if (typeof params['uri'] === 'string') emit({ kind: 'resource', uri: params['uri'] });
      return;
    case 'notifications/cancelled':
      parts.onCancelled(params['requestId']);
      return;
    case 'notifications/message': {
      const named = { ...notification, params: withLoggerPrefix(params, parts.server) };
      if (!notifyClient(named, during, parts)) emit({ kind: 'log', params: named.params });
      return;
    }
    case 'notifications/elicitation/complete':
      notifyClient(notification, during, parts);
      return;
    default:
  }
}

/** Prefixes the logger with the server's name, so that clients can tell servers apart. */
function withLoggerPrefix(params: Params, server: string): Params {
  const { logger } = params;
  const isNamed = typeof logger === 'string' && logger !== '';
  return { ...params, logger: isNamed ? `${server}/${logger}` : server };
}

/** Notifies the client whose call it belongs to; false when that is not exactly one. */
function notifyClient(
  { method, params }: Notification,
  during: RequestId | undefined,
  { find, calls }: NotificationParts,
): boolean {
  const own = find(during);
  const running = own ? [own] : calls();
  const clients = new Set(running.map(({ options }) => options.context?.client?.id));
  const client = clients.size === 1 ? running.at(-1)?.options.context?.client : undefined;
  client?.notify(method, params);
  return client !== undefined;
}
