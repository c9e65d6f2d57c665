import { localCaller } from '../../src/contract/caller/index.ts';
import type { CallContext } from '../../src/contract/server/index.ts';

/** A call context for tests; name only what the test is about. */
export function aCallContext(parts: Partial<CallContext> = {}): CallContext {
  return {
    caller: localCaller,
    signal: new AbortController().signal,
    progress: () => {},
    meta: {},
    ...parts,
  };
}
