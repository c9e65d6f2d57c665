import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { bubblewrapMissing, whyNoBubblewrap } from './this-machine.ts';
import { createProcessOwner, silentLog } from '../../src/kernel/index.ts';
import { createBubblewrapDriver } from '../../src/sandbox/bubblewrap/index.ts';
import { describeDriver } from './driver.suite.ts';

// Needs bubblewrap; in CI it must work.
describe.skipIf(bubblewrapMissing)(`the bubblewrap driver${whyNoBubblewrap}`, () => {
  const runDirectory = mkdtempSync(join(tmpdir(), 'sandbox-suite-'));
  const owner = createProcessOwner({ runDirectory, log: silentLog });
  afterAll(async () => {
    await owner.close();
    rmSync(runDirectory, { recursive: true, force: true });
  });
  describeDriver(() => createBubblewrapDriver({ owner, log: silentLog }));
});
