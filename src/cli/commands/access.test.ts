import { expect, it } from 'vitest';
import { anAccess } from '../../../testkit/access/an-access.ts';
import { runWith } from '../../../testkit/cli/run-main.ts';
import { localCaller } from '../../contract/caller/index.ts';

async function aTerminal() {
  const { keys, tenants, policy } = anAccess();
  const ci = { name: 'ci', tenant: 'acme', role: 'developer', scopes: ['code.*'] } as const;
  const { key } = await keys.create(localCaller, ci);
  const run = (...words: readonly string[]) =>
    runWith((system) => ({ ...system, keys, tenants, policy }), ['access', ...words]);
  return { keys, tenants, key, run };
}

it('tells what a caller may call, by which rule, and calls nothing', async () => {
  const { run, key, keys, tenants } = await aTerminal();
  const allowed = await run('explain', 'acme/ci', 'code.review_code');
  expect(allowed).toMatchObject({ exitCode: 0 });
  expect(allowed.stdout).toBe(
    `acme/ci (key:${key.id}) may call code.review_code: ` +
      'role developer, and tools.call is from developer on; scope "code.*" matches\n',
  );
  const hidden = await run('explain', key.id, 'files.read');
  expect(hidden).toMatchObject({ exitCode: 3 });
  expect(hidden.stdout).toContain('may not call files.read: none of its scopes matches');
  expect((await run('explain', 'local', 'files.read')).stdout).toContain('may call');
  const missing = await run('explain', 'acme/ci', 'files.none', '--json');
  expect(JSON.parse(missing.stdout)).toMatchObject([{ isAllowed: false }]);
  expect((await run('explain', 'acme/nobody', 'files.read')).exitCode).toBe(2);
  await tenants.setDisabled(localCaller, 'acme', true);
  expect((await run('explain', 'acme/ci', 'code.review_code')).stdout).toContain('is disabled');
  await keys.revoke(localCaller, key.id);
  expect((await run('explain', 'acme/ci', 'code.review_code')).stdout).toContain('was revoked');
});

it('lists the callers with their keys', async () => {
  const { run } = await aTerminal();
  const { stdout } = await run('list');
  expect(stdout).toMatch(/^local +everything +the user at this machine$/m);
  expect(stdout).toMatch(/^acme\/ci +ci +developer +code\.\* +active$/m);
  expect(JSON.parse((await run('list', '--json')).stdout)).toHaveLength(2);
});
