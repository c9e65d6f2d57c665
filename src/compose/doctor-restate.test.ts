import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { checkRestate } from './doctor-restate.ts';
import { loadSettingsOnly } from './index.ts';

const home = tmpdir();
const { workflow } = (await loadSettingsOnly({ flags: { home }, env: {}, cwd: home })).values;

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
