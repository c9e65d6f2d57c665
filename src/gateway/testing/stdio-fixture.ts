import { localCaller } from '../../contract/caller/index.ts';
import { silentLog } from '../../kernel/index.ts';
import { serveStdio } from '../index.ts';
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
