/**
 * One process that resumes runs: `node execute-runs.ts HOME LOG`. Each run has as many steps, one after
 * another, as its input says. Every execution of a step is a line in LOG, written before and after it,
 * which no death of this process takes back. Ends by SIGTERM.
 */
import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { noFaults, ownIdentity, silentLog, systemTimers } from '../../src/kernel/index.ts';
import { traceLimits } from '../../src/observe/index.ts';
import { openStore } from '../../src/store/index.ts';
import { defaultEngineLimits, openEmbeddedEngine } from '../../src/workflow/embedded/index.ts';

const [home = '', logFile = ''] = process.argv.slice(2);
const log = openSync(logFile, 'a');
const databaseUrl = process.env['MCP_DATABASE_URL'];
const store = openStore({ home, databaseUrl, traceLimits });

const engine = openEmbeddedEngine({
  store: store.runs,
  interpret: async (run, scope) => {
    for (let step = 1; step <= Number(run.input['steps']); step += 1) {
      scope.step(`s${step}#1`, 'call', null);
      await scope.next();
    }
    return { status: 'succeeded', outcome: process.pid };
  },
  runActivity: async ({ runId, key, input }) => {
    writeSync(log, `begin ${process.pid} ${runId} ${key}\n`);
    await sleep(Number(process.env['STEP_MS'] ?? 10));
    writeSync(log, `end ${process.pid} ${runId} ${key}\n`);
    return { pid: process.pid, input };
  },
  identify: ownIdentity,
  timers: systemTimers,
  log: silentLog,
  faultPoint: noFaults,
  limits: { ...defaultEngineLimits, maxRuns: 10, leaseMs: 3_000, renewMs: 500, scanMs: 200 },
});

process.on('SIGTERM', () => {
  void engine.close().then(() => {
    store.close();
    process.exit(0);
  });
});
engine.start();
// Without runs nothing else keeps the process.
setInterval(() => {}, 60_000);
writeSync(1, 'ready\n');
