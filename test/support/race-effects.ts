import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { traceLimits } from '../../src/observe/index.ts';
import { openStore } from '../../src/store/index.ts';
import { createActivities } from '../../src/workflow/effects/index.ts';
import { approvalPolicy } from '../../src/workflow/effects/index.ts';
import { noFaults, silentLog, systemClock } from '../../src/kernel/index.ts';

/**
 * One of several processes that all want the same effects: `HOME NAME COUNT`. Says that it is ready by a
 * file, begins when the file `go` is there, and adds a line to `sent` for every effect that it sends.
 */
const [home = '', name = '', count = '0'] = process.argv.slice(2);
const databaseUrl = process.env['MCP_DATABASE_URL'];
const store = openStore({ home, databaseUrl, traceLimits });
const runActivity = createActivities({
  artifacts: new Proxy({} as never, {
    get: () => () => Promise.reject(new Error('no artifacts here')),
  }),
  effects: store.effects,
  cache: store.stepCache,
  policy: approvalPolicy('plan'),
  clock: systemClock,
  log: silentLog,
  faultPoint: noFaults,
  tools: {
    find: () => ({ server: 's', tool: { name: 't', inputSchema: {} } }),
    async call(_tool, args) {
      appendFileSync(join(home, 'sent'), `${String(args['step'])}\n`);
      return { content: [], structuredContent: { by: name } };
    },
  },
});

await store.effects.effects('run1');
writeFileSync(join(home, `ready-${name}`), '');
while (!existsSync(join(home, 'go'))) await setTimeout(2);
const { signal } = new AbortController();
await Promise.all(
  Array.from({ length: Number(count) }, (_, index) => {
    const step = `step${index}`;
    const input = { step, attempt: 1, tool: 's.t', args: { value: { step } } };
    const key = `${step}#1`;
    const onProgress = (): void => {};
    return runActivity({
      runId: 'run1',
      callerId: 'local',
      key,
      activity: 'call',
      input,
      signal,
      onProgress,
    });
  }),
);
store.close();
