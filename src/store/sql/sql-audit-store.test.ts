import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testAuditStore } from '../../access/audit/audit-store.suite.ts';
import { aDecision, anAuditLog } from '../../../testkit/access/an-audit-log.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { SqlAuditStore } from './sql-audit-store.ts';
import { all, type SqlDatabase } from './sql-database.ts';

const anAuditStore = (sql: SqlDatabase): SqlAuditStore =>
  new SqlAuditStore(sql, { headFile: join(aDirectory(), 'head') });

describe.each(sqlWorlds)('the audit log in %s', (_name, aWorld) => {
  testAuditStore(() => {
    const world = aWorld();
    return () => anAuditStore(world().sql);
  });

  it.each([
    ["UPDATE audit_entries SET target = 'other' WHERE number = 3", 3],
    ['UPDATE audit_entries SET is_allowed = 1 - is_allowed WHERE number = 4', 4],
    ['UPDATE audit_entries SET trace_id = NULL WHERE number = 5', 5],
    ['DELETE FROM audit_entries WHERE number = 6', 6],
    ['DELETE FROM audit_entries WHERE number > 7', 8],
    ['DELETE FROM audit_entries', 1],
  ])('shows where it was changed: %s', async (change, number) => {
    const { sql } = aWorld()();
    const log = anAuditLog({ store: anAuditStore(sql) });
    for (let n = 1; n <= 9; n += 1) log.record(aDecision());
    await log.flush();
    await sql.write({ locks: [], durability: 'full' }, () => all(change));
    expect(await log.verify()).toMatchObject({ isIntact: false, problem: { number } });
  });
});
