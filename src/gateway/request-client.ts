import type { ClientPort, ProgressUpdate } from '../contract/server/index.ts';
import { encodeNotification, type Params } from '../protocol/index.ts';

/** The client of one request: servers may ask and notify it while the request runs. */
export interface RequestClient extends ClientPort {
  progress(update: ProgressUpdate): void;
  /**
   * The result to answer with: that of `start`, or the input requests for the client. A client that returns with
   * the input gets the result of the work already started.
   */
  answer(start: () => Promise<object>): Promise<object>;
  /** The request is answered or cancelled: nothing more is sent for it. */
  finishRequest(): void;
}

/** A progress notification for the token of a request; undefined without a token. */
export function progressText(meta: Params, update: ProgressUpdate): string | undefined {
  const { progressToken } = meta;
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined;
  return encodeNotification('notifications/progress', { ...update, progressToken });
}
