import type { ErrorReport } from '../../contract/error/index.ts';
import type { ProgressUpdate } from '../../contract/server/index.ts';
import type { ToolResult } from '../../contract/tool/index.ts';

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
