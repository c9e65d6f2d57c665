import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { aDirectory } from '../testkit/observe/a-directory.ts';

const checkout = fileURLToPath(new URL('..', import.meta.url));

/** They make temporary folders and do not remove them. */
const files = [
  'src/compose/doctor-tools.test.ts',
  'src/toolbox/code/secrets/scan-secrets-tool.test.ts',
  'src/toolbox/code/select/select-sources.test.ts',
];

it('tests leave nothing in the folder for temporary files', { timeout: 120_000 }, () => {
  const temporary = aDirectory();
  execFileSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files], {
    cwd: checkout,
    env: { ...process.env, TMPDIR: temporary, VITEST: undefined },
    stdio: 'pipe',
  });
  expect(readdirSync(temporary)).toEqual([]);
});
