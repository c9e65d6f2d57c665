import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { testSpendingStore } from '../../models/budget/spending-store.suite.ts';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { SqlSpendingStore } from './sql-spending-store.ts';
import { systemClock } from '../../kernel/index.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { aStore } from '../../../testkit/store/a-store.ts';

const clock = systemClock;

describe.each(sqlWorlds)('spending in %s', (_name, aWorld) => {
  testSpendingStore(() => new SqlSpendingStore(aWorld()().sql, { clock }));

  it('is the same for every process that has the database open', async () => {
    const world = aWorld();
    const [one, other] = [1, 2].map(() => new SqlSpendingStore(world().sql, { clock }));
    await one?.add(localCaller, ['run:1'], { tokens: 5, usd: 0.1 });
    await other?.add(localCaller, ['run:1'], { tokens: 5, usd: 0.1 });
    expect(await other?.spentBy(localCaller, ['run:1'])).toEqual([
      { scope: 'run:1', tokens: 10, usd: 0.2 },
    ]);
  });

  it('forgets what nobody added to for more than a year', async () => {
    const world = aWorld();
    const old = new SqlSpendingStore(world().sql, { clock: { now: () => 0 } });
    await old.add(localCaller, ['run:old'], { tokens: 5, usd: 0 });
    const fresh = new SqlSpendingStore(world().sql, { clock });
    await fresh.link(localCaller, 'run:new', 'session:1');
    expect(await fresh.spentBy(localCaller, ['run:old'])).toEqual([
      { scope: 'run:old', tokens: 0, usd: 0 },
    ]);
  });
});

describe('spending in SQLite', () => {
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
});
