import { localCaller } from '../contract/caller/index.ts';
import type { CallContext, ProgressUpdate } from '../contract/server/index.ts';
import type { Io } from './io.ts';

/** The context of a call made by the person at this terminal. */
export function createCallContext(
  io: Io,
  progress: (update: ProgressUpdate) => void = () => {},
): CallContext {
  return { caller: localCaller, signal: io.signal, progress, meta: {} };
}
