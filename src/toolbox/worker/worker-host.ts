import type { MessagePort } from 'node:worker_threads';
import type { McpServer, ProgressUpdate } from '../../contract/server/index.ts';
import { reportError } from '../../kernel/index.ts';
import type { ErrorReport } from '../../contract/error/index.ts';
import type { ToolResult } from '../../contract/tool/index.ts';

/** The inside of a worker: answers the pool's calls with `server`, one after the other. */
export function hostServer(server: McpServer, port: MessagePort): void {
  let cancel = new AbortController();
  const say = (message: FromWorker): void => port.postMessage(message);
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'cancel') {
      cancel.abort(new Error('cancelled'));
      return;
    }
    cancel = new AbortController();
    const { signal } = cancel;
    const context = {
      caller: { id: message.callerId },
      signal,
      meta: message.meta,
      progress: (update: { progress: number }) => say({ kind: 'progress', update }),
    };
    server.callTool(message.tool, message.args, context).then(
      (result) => say({ kind: 'settled', result }),
      (error: unknown) =>
        say(
          signal.aborted ? { kind: 'cancelled' } : { kind: 'broken', report: reportError(error) },
        ),
    );
  });
}

/** In the `meta` of a call: items that took too long before, which the call is to leave out. */
export const slowItemsMetaKey = 'tutti/slowItems';

/** What the pool says to a worker. A worker has one call at a time, so nothing needs an id. */
export type ToWorker =
  | {
      readonly kind: 'call';
      readonly tool: string;
      readonly args: unknown;
      readonly meta: Readonly<Record<string, unknown>>;
      readonly callerId: string;
    }
  | { readonly kind: 'cancel' };

/** What a worker says to the pool. */
export type FromWorker =
  | { readonly kind: 'progress'; readonly update: ProgressUpdate }
  | { readonly kind: 'settled'; readonly result: ToolResult }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'broken'; readonly report: ErrorReport };
