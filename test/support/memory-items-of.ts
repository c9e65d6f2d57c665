import { join } from 'node:path';
import { silentLog } from '../../src/kernel/index.ts';
import { createMemory, createMemoryItems } from '../../src/memory/index.ts';
import type { Store } from '../../src/store/index.ts';

/** Sessions and items of a data directory, as the program has them. */
export function memoriesOf(home: string, store: Store) {
  const memory = createMemory({
    sessions: store.sessions,
    preferences: store.preferences,
    directory: join(home, 'sessions'),
    isMirrored: true,
    log: silentLog,
  });
  const items = createMemoryItems({
    store: store.memoryItems,
    log: silentLog,
    redactTurns: (caller, session, turns) => memory.redactTurns(caller, session, turns),
  });
  return { memory, items };
}
