import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { offerPostgres } from '../../testkit/store/shared-postgres.ts';

let isSetUp = false;

/** Each vitest process has one folder for the temporary files of all tests and of the programs they start. It is removed at the end. */
export function setup(): (() => Promise<void>) | undefined {
  // Once, though every project of vitest asks for it.
  if (isSetUp) return undefined;
  isSetUp = true;
  // A short name: sockets in it have at most 107 characters.
  const folder = mkdtempSync(join(tmpdir(), 'tutti-'));
  // Tests run programs as other users too.
  chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
  const stopPostgres = offerPostgres(folder);
  return async () => {
    await stopPostgres();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}
