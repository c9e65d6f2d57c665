import { writeSync } from 'node:fs';
import { setImmediate as nextTick, setTimeout as pause } from 'node:timers/promises';
import { localCaller } from '../../src/contract/caller/index.ts';
import type { OpenSession } from '../../src/contract/session/index.ts';
import { AppError } from '../../src/kernel/index.ts';
import { traceLimits } from '../../src/observe/index.ts';
import { openStore } from '../../src/store/index.ts';
import { memoryOf } from './sessions-of.ts';

// A program of its own: opens the session named `one` in HOME and adds COUNT turns to it, of which it
// prints the number once it is acknowledged; `remove` removes it, `import` brings the JSON of its input.
const [home = '', what = '0'] = process.argv.slice(2);
const store = openStore({ home, traceLimits });
const memory = memoryOf(home, store, process.env['TUTTI_FAULT']);
const maxTries = 2_000;

async function openPatiently(): Promise<OpenSession> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await memory.sessions.open(localCaller, 'one');
    } catch (error) {
      const isBusy = error instanceof AppError && error.code === 'memory.session_busy';
      if (!isBusy || attempt >= maxTries) throw error;
      await pause(10);
    }
  }
}

if (what === 'remove') await memory.sessions.remove(localCaller, 'one');
else if (what === 'import') {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  await memory.sessions.import(localCaller, JSON.parse(Buffer.concat(chunks).toString()));
} else {
  const session = await openPatiently();
  for (let n = 1; n <= Number(what); n += 1) {
    const number = session.current().turns.length + 1;
    const turn = await session.append({ role: 'user', text: `turn ${number}` });
    writeSync(1, `${turn.number}\n`);
    // As between the messages of a person: the file of the session is written by a timer.
    await nextTick();
  }
}
await memory.close();
store.close();
