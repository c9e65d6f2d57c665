import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { testSpendingStore } from '../../models/budget/spending-store.suite.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { aStore } from '../../../testkit/store/a-store.ts';

describe('spending in SQLite', () => {
  testSpendingStore(() => aStore().spending);

  it('is the same for every process that has the database open', async () => {
    const home = aDirectory();
    await aStore({ home }).spending.add(localCaller, ['run:1'], { tokens: 5, usd: 0.1 });
    const other = aStore({ home }).spending;
    await other.add(localCaller, ['run:1'], { tokens: 5, usd: 0.1 });
    expect(await other.spentBy(localCaller, ['run:1'])).toEqual([
      { scope: 'run:1', tokens: 10, usd: 0.2 },
    ]);
  });

  it('lets others have their turns while another process writes', async () => {
    const home = aDirectory();
    const { spending, path } = aStore({ home });
    await spending.add(localCaller, ['run:1'], { tokens: 1, usd: 0 });
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    setImmediate(() => other.exec('COMMIT'));
    await spending.add(localCaller, ['run:1'], { tokens: 2, usd: 0 });
    expect(await spending.spentBy(localCaller, ['run:1'])).toMatchObject([{ tokens: 3 }]);
  });

  it('forgets what nobody added to for more than a year', async () => {
    const home = aDirectory();
    const old = aStore({ home, clock: { now: () => 0 } });
    await old.spending.add(localCaller, ['run:old'], { tokens: 5, usd: 0 });
    const fresh = aStore({ home }).spending;
    await fresh.link(localCaller, 'run:new', 'session:1');
    expect(await fresh.spentBy(localCaller, ['run:old'])).toEqual([
      { scope: 'run:old', tokens: 0, usd: 0 },
    ]);
  });
});
