/** Our server with one trivial tool, through everything a real call goes through: call executor, trace, store. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localCaller } from '../src/contract/caller/index.ts';
import { CallExecutor, createFleet } from '../src/fleet/index.ts';
import { createHttpGateway, serveStdio } from '../src/gateway/index.ts';
import { Secret, silentLog } from '../src/kernel/index.ts';
import { ActiveSpans, createTracing, traceLimits } from '../src/observe/index.ts';
import { openStore } from '../src/store/index.ts';
import { defineTool } from '../src/toolbox/define-tool.ts';
import { createToolboxServer } from '../src/toolbox/toolbox-server.ts';
import { echoInput, echoOutput } from './echo-tool.ts';

const store = openStore({ home: mkdtempSync(join(tmpdir(), 'tutti-bench-')), traceLimits });
const tracing = createTracing({
  activeSpans: new ActiveSpans(),
  log: silentLog,
  store: store.traces,
});
const echo = createToolboxServer({
  name: 'echo',
  title: 'Echo',
  version: '1',
  instructions: '',
  tools: [
    defineTool({
      name: 'echo',
      title: 'Echo',
      description: 'Returns its text.',
      input: echoInput,
      output: echoOutput,
      annotations: { readOnlyHint: true },
      examples: [],
      run: async (input) => input,
    }),
  ],
});
const { catalogue: server } = createFleet({
  title: 'Bench',
  version: '1',
  servers: [{ name: 'echo', open: async () => echo }],
  executor: new CallExecutor(
    { maxConcurrent: 100, maxWaiting: 10_000, timeoutMs: 60_000 },
    tracing,
    silentLog,
  ),
  enabledTools: [],
  log: silentLog,
});

if (process.argv.includes('--http')) {
  const gateway = await createHttpGateway({
    server,
    sessions: { store: store.clientSessions, secrets: () => [new Secret('of this bench')] },
    log: silentLog,
    version: '1',
    host: '127.0.0.1',
    port: 0,
  });
  console.log(gateway.url);
} else {
  serveStdio({
    caller: localCaller,
    server,
    input: process.stdin,
    output: process.stdout,
    log: silentLog,
  });
}
