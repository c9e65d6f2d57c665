import { writeSync } from 'node:fs';
import { traceLimits } from '../../src/observe/index.ts';
import { hexId, aSpan } from '../../testkit/observe/a-span.ts';
import { openStore } from '../../src/store/index.ts';

// A program of its own: writes COUNT spans, each in its own transaction, to the store in HOME as trace
// number WRITER, and prints each span's number when the store has acknowledged it.
const [home = '', writer = '0', count = '0'] = process.argv.slice(2);
// Nobody else works in this program, so it may stand still until the others have written.
const store = openStore({ home, traceLimits, spanBusyTimeoutMs: 10_000 });
for (let n = 1; n <= Number(count); n += 1) {
  await store.traces.record([aSpan({ traceId: hexId(Number(writer), 32), spanId: hexId(n, 16) })]);
  writeSync(1, `${n}\n`);
}
store.close();
