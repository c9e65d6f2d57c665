import { join } from 'node:path';
import type { Memory } from '../../src/contract/session/index.ts';
import { createFaultPoints, silentLog } from '../../src/kernel/index.ts';
import { createMemory } from '../../src/memory/index.ts';
import type { Store } from '../../src/store/index.ts';

/** The memory of a data directory, as the program has it. */
export function memoryOf(home: string, store: Store, fault?: string): Memory {
  return createMemory({
    sessions: store.sessions,
    preferences: store.preferences,
    directory: join(home, 'sessions'),
    isMirrored: true,
    log: silentLog,
    faultPoint: createFaultPoints(fault),
  });
}
