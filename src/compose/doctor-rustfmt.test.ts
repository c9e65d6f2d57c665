import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { checkRustfmt } from './doctor-rustfmt.ts';

function folderWith(script: string | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), 'rustfmt-'));
  if (script === undefined) return folder;
  writeFileSync(join(folder, 'rustfmt'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'rustfmt'), 0o755);
  return folder;
}

it('says which one runs', async () => {
  const folder = folderWith('echo rustfmt 1.8.0');
  expect(await checkRustfmt([folderWith(undefined), folder].join(delimiter))).toEqual({
    status: 'ok',
    message: `${join(folder, 'rustfmt')} (rustfmt 1.8.0)`,
  });
});

it('warns about one that is there and does not run', async () => {
  const folder = folderWith('echo "error: \'rustfmt\' is not installed" >&2; exit 1');
  expect(await checkRustfmt(folder)).toMatchObject({
    status: 'warning',
    message: expect.stringContaining("does not run (error: 'rustfmt' is not installed)"),
    fix: expect.stringContaining('rustup'),
  });
});

it('warns when there is none', async () => {
  expect(await checkRustfmt(folderWith(undefined))).toMatchObject({ status: 'warning' });
});
