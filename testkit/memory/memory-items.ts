import { noCopies } from '../../src/contract/memory/index.ts';
import { createMemory } from '../../src/memory/create-memory.ts';
import { createMemoryItems } from '../../src/memory/items/create-memory-items.ts';
import type { EmbedTexts } from '../../src/memory/items/fill-backlog.ts';
import { silentLog } from '../../src/kernel/index.ts';
import { aDirectory } from '../observe/a-directory.ts';
import { aStore } from '../store/a-store.ts';
import { ManualTimers } from './a-memory.ts';
import { aVector } from './a-memory-item.ts';

/** A vector that equal texts have in common. */
export const embedByLength: EmbedTexts = async (texts) => texts.map((text) => aVector(text.length));

/** The memory of one data directory, with sessions that are written as files. */
export function someMemoryItems({
  home = aDirectory(),
  embed = embedByLength,
  place,
}: { home?: string; embed?: EmbedTexts; place?: () => Promise<string> } = {}) {
  const store = aStore({ home });
  const timers = new ManualTimers();
  const directory = `${home}/sessions`;
  const memory = createMemory({
    sessions: store.sessions,
    preferences: store.preferences,
    directory,
    isMirrored: true,
    log: silentLog,
    timers,
  });
  const items = createMemoryItems({
    store: store.memoryItems,
    log: silentLog,
    embed,
    place,
    forgetElsewhere: async (caller, { turns }) => {
      for (const [session, numbers] of turns) {
        await memory.redactTurns(caller, session, [...numbers]);
      }
      return noCopies;
    },
    timers,
  });
  return { home, store, timers, memory, items };
}
