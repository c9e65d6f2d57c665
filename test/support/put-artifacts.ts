/**
 * Puts artifacts and says each number once it is kept: HOME RUN COUNT GRACE_MS [FAULT_POINT]. With a
 * grace it also releases every second one and collects as it goes; at the named point it kills itself.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { openArtifacts } from '../../src/artifacts/index.ts';
import { localCaller } from '../../src/contract/caller/index.ts';
import { silentLog, systemClock } from '../../src/kernel/index.ts';
import { traceLimits } from '../../src/observe/index.ts';
import { openStore } from '../../src/store/index.ts';
import { contentOf } from './artifact-content.ts';

const [home = '', run = '', count = '', grace = '', point] = process.argv.slice(2);
const graceMs = grace === '' ? undefined : Number(grace);
const store = openStore({ home, traceLimits });
const artifacts = openArtifacts({
  directory: join(home, 'artifacts'),
  index: store.artifactIndex,
  clock: systemClock,
  log: silentLog,
  limits: graceMs === undefined ? {} : { graceMs },
  faultPoint: (name) => {
    if (name === point) process.kill(process.pid, 'SIGKILL');
  },
});

for (let n = 1; n <= Number(count); n += 1) {
  const runId = n % 2 === 0 ? `${run}-released` : run;
  await artifacts.put(localCaller, {
    content: contentOf(n),
    mediaType: 'text/plain',
    lineage: { runId, step: `s${n}`, tool: null, argumentsDigest: null, inputs: [] },
  });
  writeSync(1, `${n}\n`);
  if (graceMs === undefined || n % 10 !== 0) continue;
  await artifacts.release(localCaller, [`${run}-released`]);
  await artifacts.collect();
}
store.close();
