import { describe, expect, it } from 'vitest';
import { anAccess } from '../../../testkit/access/an-access.ts';
import type { ApiKey } from '../../contract/access/index.ts';
import { runWith, type Ran } from '../../../testkit/cli/run-main.ts';

/** Members of what the actions give. */
interface Made extends ApiKey {
  readonly key: ApiKey;
  readonly secret: string;
}

interface Terminal {
  readonly run: (line: string) => Promise<Ran>;
  readonly json: (line: string) => Promise<Made>;
}

function aTerminal(): Terminal {
  const { keys, tenants } = anAccess();
  const run = (line: string): Promise<Ran> =>
    runWith((system) => ({ ...system, keys, tenants }), ['keys', ...line.split(' ')]);
  return { run, json: async (line) => JSON.parse((await run(`${line} --json`)).stdout) };
}

describe('tutti keys', () => {
  it('creates a key, shows its secret once and lists it without', async () => {
    const { run, json } = aTerminal();
    const made = await run(
      'create ci --tenant acme --tool code.* --tool docs.* --expires 2099-01-01',
    );
    expect(made.exitCode).toBe(0);
    expect(made.stdout).toMatch(/acme\/ci, developer, code\.\* docs\.\*, it expires 2099-01-01/);
    const [, secret = ''] = /(tutti_[\w-]{43})/.exec(made.stdout) ?? [];
    expect(secret).not.toBe('');
    const listed = await run('list');
    expect(listed.stdout).toMatch(/key_\w{16} +ci +tutti_\S{8}… +acme\/ci +developer/);
    expect(listed.stdout).not.toContain(secret);
    expect(await json('tenants')).toEqual([{ name: 'acme', keys: 1, disabledAt: null }]);
  });

  it.each([
    '--tools code.*,docs.*',
    '--scope code.* --scope docs.*',
    '--tool code.* --scope docs.*',
    '--tool code.*,docs.*',
  ])('limits a key to tools with %s', async (options) => {
    const { key } = await aTerminal().json(`create ci ${options}`);
    expect(key.scopes?.toSorted()).toEqual(['code.*', 'docs.*']);
  });

  it('rotates, disables, enables and revokes by name or id', async () => {
    const { run, json } = aTerminal();
    const { key, secret } = await json('create ci');
    const rotated = await json('rotate ci --grace 24h');
    expect(rotated.key.id).toBe(key.id);
    expect(rotated.secret).not.toBe(secret);
    expect(await json(`disable ${key.id}`)).toHaveProperty('disabledAt');
    expect(await json('enable ci')).not.toHaveProperty('disabledAt');
    expect((await run('revoke ci')).stdout).toContain(`Key ${key.id} "ci" was revoked`);
    expect((await run('list')).stdout).toContain('revoked');
    expect((await json('disable-tenant default')).disabledAt).not.toBeNull();
    expect((await json('enable-tenant default')).disabledAt).toBeNull();
  });

  it.each([
    ['create ci --role king', 2, 'king'],
    ['create ci --expires soon', 2, 'wants 30d'],
    ['revoke nobody', 2, 'access.unknown_key'],
    ['rotate ci --tool x', 2, 'does not take --tool'],
    ['create ci --tools code.*,', 2, 'access.'],
    ['create', 2, 'NAME is missing'],
  ])('refuses "keys %s"', async (line, exitCode, words) => {
    const ran = await aTerminal().run(line);
    expect(ran).toMatchObject({ exitCode });
    expect(ran.stderr).toContain(words);
  });
});
