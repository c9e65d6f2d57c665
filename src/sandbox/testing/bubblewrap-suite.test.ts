import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { bubblewrapMissing } from '../../../test/support/sandbox/drivers.ts';
import { createProcessOwner, silentLog } from '../../kernel/index.ts';
import { createBubblewrapDriver } from '../bubblewrap/index.ts';
import { describeDriver } from './driver.suite.ts';

// Needs the package bubblewrap; in CI it must be there.
describe.skipIf(bubblewrapMissing)('the bubblewrap driver', () => {
  const runDirectory = mkdtempSync(join(tmpdir(), 'sandbox-suite-'));
  const owner = createProcessOwner({ runDirectory, log: silentLog });
  afterAll(async () => {
    await owner.close();
    rmSync(runDirectory, { recursive: true, force: true });
  });
  describeDriver(() => createBubblewrapDriver({ owner, log: silentLog }));
});
