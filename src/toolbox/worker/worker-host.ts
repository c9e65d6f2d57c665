import type { MessagePort } from 'node:worker_threads';
import type { McpServer } from '../../contract/server/index.ts';
import { reportError } from '../../kernel/index.ts';
import type { FromWorker, ToWorker } from './message.ts';

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
