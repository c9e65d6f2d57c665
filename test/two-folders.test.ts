import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aFolder, runTutti, type Ended } from './support/run-tutti.ts';

/** Two projects of one user. */
function twoFolders() {
  const home = realpathSync(aFolder());
  const inFolder = (name: string) => {
    const cwd = join(home, name);
    mkdirSync(cwd);
    const env = { HOME: home, TUTTI_HOME: join(home, 'data') };
    return {
      cwd,
      tutti: (...argv: readonly string[]): Promise<Ended> => runTutti(argv, { cwd, env }),
      has: (file: string): boolean => existsSync(join(cwd, file)),
    };
  };
  return { shop: inFolder('shop'), bank: inFolder('bank') };
}

const write = "create NOTES.md with the text 'plan of the shop'";

async function waitingRun(folder: ReturnType<typeof twoFolders>['shop']): Promise<string> {
  const asked = await folder.tutti('ask', write, '--yes', '--json');
  return String(JSON.parse(asked.stdout).runId);
}

it('an approval given in another folder changes files in the folder of the run only', async () => {
  const { shop, bank } = twoFolders();
  const runId = await waitingRun(shop);
  expect((await shop.tutti('runs')).stdout).not.toContain(shop.cwd);
  expect((await bank.tutti('runs')).stdout).toContain(`in ${shop.cwd}`);
  const unnamed = await bank.tutti('runs', 'approve');
  expect(unnamed).toMatchObject({ exitCode: 2 });
  expect(unnamed.stderr).toContain(
    `No run of this folder waits for approval. Elsewhere:\n  ${runId}`,
  );
  const last = await bank.tutti('runs', 'show', 'last');
  expect(last.stderr).toContain(`No run belongs to this folder. The last elsewhere: ${runId}`);
  const bound = await bank.tutti('--root', bank.cwd, 'runs', 'approve', runId);
  expect(bound).toMatchObject({ exitCode: 2 });
  expect(bound.stderr).toContain(`cd ${shop.cwd} && tutti runs approve ${runId}`);
  expect([shop.has('NOTES.md'), bank.has('NOTES.md')]).toEqual([false, false]);
  const approved = await bank.tutti('runs', 'approve', runId);
  expect(approved).toMatchObject({ exitCode: 0 });
  expect(approved.stderr).toContain(`In ${shop.cwd}, where it belongs`);
  expect([shop.has('NOTES.md'), bank.has('NOTES.md')]).toEqual([true, false]);
}, 60_000);

it('a run whose folder is gone is not executed elsewhere', async () => {
  const { shop, bank } = twoFolders();
  const runId = await waitingRun(shop);
  rmSync(shop.cwd, { recursive: true });
  const refused = await bank.tutti('runs', 'approve', runId);
  expect(refused).toMatchObject({ exitCode: 2 });
  expect(refused.stderr).toContain(`it belongs to ${shop.cwd}, which is not there any more`);
  expect(bank.has('NOTES.md')).toBe(false);
}, 60_000);

it('"yes" accepts the plan of a session in the folder of the session only', async () => {
  const { shop, bank } = twoFolders();
  const planned = await shop.tutti('ask', write, '--json');
  const session = String(JSON.parse(planned.stdout).sessionId);
  const last = await bank.tutti('ask', '--session', 'last', 'yes');
  expect(last.stderr).toContain(`The last elsewhere is ${session}`);
  expect((await bank.tutti('runs', '--json')).stdout.trim()).toBe('[]');
  expect((await bank.tutti('sessions')).stdout).toContain(`in ${shop.cwd}`);
  await bank.tutti('ask', '--session', session, 'yes');
  const [run] = JSON.parse((await bank.tutti('runs', '--json')).stdout) as { folder?: string }[];
  expect(run).toMatchObject({ status: 'waiting', folder: shop.cwd });
  await bank.tutti('ask', 'run the tests', '--plan-only');
  const own = await shop.tutti('sessions', 'show', 'last', '--json');
  expect(JSON.parse(own.stdout)).toMatchObject({ id: session, folder: shop.cwd });
  expect(own.stderr).toContain(`There is a later session elsewhere`);
}, 60_000);
