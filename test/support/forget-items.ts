import { writeSync } from 'node:fs';
import { localCaller } from '../../src/contract/caller/index.ts';
import { AppError } from '../../src/kernel/index.ts';
import { traceLimits } from '../../src/observe/index.ts';
import { openStore } from '../../src/store/index.ts';
import { aVector } from '../../testkit/memory/a-memory-item.ts';
import { memoriesOf } from './memory-items-of.ts';

// A program of its own: forgets the items IDS… in HOME and prints how many are done. Meanwhile it writes turns in a
// session of its own, remembers things and searches.
const [home = '', ...ids] = process.argv.slice(2);
const store = openStore({ home, traceLimits });
const { memory, items } = await memoriesOf(home, store);
const source = { kind: 'person', face: 'cli' } as const;
const { signal } = new AbortController();
const work = { isOver: false };

async function keepBusy(): Promise<void> {
  const session = await memory.sessions.create(localCaller);
  for (let n = 0; !work.isOver; n += 1) {
    const text = `busy work ${process.pid} ${n}`;
    await session.append({ role: 'user', text });
    await items.remember(localCaller, { text, source, isVouchedFor: true });
    await items.search({ caller: localCaller, text: 'busy work', limit: 5, signal });
    await store.memoryItems.byVector(localCaller, aVector(n), { filter: {}, limit: 5 });
    await new Promise((next) => setImmediate(next));
  }
  await session.close();
}

/** An item goes with its copies, so it may be gone by its turn. */
async function forget(id: string): Promise<void> {
  try {
    await items.forget(localCaller, [id]);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'memory.unknown_item') throw error;
  }
}

const busy = keepBusy();
for (const [index, id] of ids.entries()) {
  // The process before this one may have died after it forgot the item. The id would then find another one that begins with it.
  const [item] = await store.memoryItems.get(localCaller, [id]);
  if (item) await forget(id);
  writeSync(1, `${index + 1}\n`);
}
work.isOver = true;
await busy;
await items.close();
await memory.close();
store.close();
