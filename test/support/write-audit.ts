import { writeSync } from 'node:fs';
import { createAuditLog } from '../../src/access/index.ts';
import { silentLog, systemClock } from '../../src/kernel/index.ts';
import { redactText, traceLimits } from '../../src/observe/index.ts';
import { openStore } from '../../src/store/index.ts';

// A program of its own: records COUNT decisions of caller WRITER in HOME, in batches of up to five, and prints
// how many are written whenever the log has acknowledged them.
const [home = '', writer = '', count = '0'] = process.argv.slice(2);
const store = openStore({ home, traceLimits });
const log = createAuditLog({
  store: store.audit,
  clock: systemClock,
  log: silentLog,
  redact: redactText,
  keepMs: 86_400_000,
  maxEntries: 1_000_000,
});
for (let n = 1; n <= Number(count); n += 1) {
  log.record({
    callerId: writer,
    tenant: null,
    credential: null,
    action: 'tools.call',
    target: `t.${n}`,
    isAllowed: true,
    rule: 'local user',
    face: 'mcp',
    argumentsDigest: null,
    address: null,
    traceId: null,
  });
  if (n % 5 !== 0 && n !== Number(count)) continue;
  while (
    !(await log.flush().then(
      () => true,
      () => false,
    ))
  );
  writeSync(1, `${n}\n`);
}
await log.close();
store.close();
