import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { checkRestate, checkRustfmt } from './doctor-tools.ts';
import { loadSettingsHere } from './settings.ts';

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

const home = tmpdir();
const { workflow } = (await loadSettingsHere({ flags: { home }, env: {}, cwd: home })).values;

it('looks at nothing where runs do not go to Restate', async () => {
  expect(await checkRestate(workflow)).toEqual({
    status: 'absent',
    message: 'not used: "workflow.engine" is "embedded"',
  });
});

it('fails, and says what to do, where runs go to a Restate that is not there', async () => {
  const nobody = 'http://127.0.0.1:9';
  const restate = { ...workflow.restate, ingress_url: nobody, admin_url: nobody };
  expect(await checkRestate({ ...workflow, engine: 'restate', restate })).toMatchObject({
    status: 'failed',
    message: expect.stringContaining(nobody),
    fix: expect.stringContaining('docs/restate.md'),
  });
});
