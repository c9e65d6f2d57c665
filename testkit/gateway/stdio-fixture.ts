import { localCaller } from '../../src/contract/caller/index.ts';
import { silentLog } from '../../src/kernel/index.ts';
import { serveStdio } from '../../src/gateway/index.ts';
import { FixtureServer } from './fixture-server.ts';

// A program of its own: tests start it as a child and speak to its pipes.
const gateway = serveStdio({
  caller: localCaller,
  server: new FixtureServer(),
  input: process.stdin,
  output: process.stdout,
  log: silentLog,
});
await gateway.closed;
