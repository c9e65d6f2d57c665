import type { ClientPort, ProgressUpdate } from '../contract/server/index.ts';
import { encodeNotification, type Params } from '../protocol/index.ts';

/** The client of one request: what servers may ask and tell it while the request runs. */
export interface RequestClient extends ClientPort {
  progress(update: ProgressUpdate): void;
  /**
   * The result the request is to be answered with: that of `start`, or what the client must be asked
   * first. A client that comes back with the answers gets the result of the work already begun.
   */
  answer(start: () => Promise<object>): Promise<object>;
  /** The request is answered, or will not be: nothing more goes out for it. */
  finishRequest(): void;
}

/** Tells progress under the token the request came with; undefined when it came with none. */
export function progressText(meta: Params, update: ProgressUpdate): string | undefined {
  const { progressToken } = meta;
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined;
  return encodeNotification('notifications/progress', { ...update, progressToken });
}
