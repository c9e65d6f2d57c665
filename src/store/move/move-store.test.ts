import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { aMemoryItem, aVector } from '../../../testkit/memory/a-memory-item.ts';
import { aDecision, anAuditLog } from '../../../testkit/access/an-audit-log.ts';
import { aSession, aTurn } from '../../../testkit/memory/a-session.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { aSpan } from '../../../testkit/observe/a-span.ts';
import { aPostgresDatabase, postgresSkipReason } from '../../../testkit/store/a-postgres.ts';
import { createSharedDatabase } from '../../../testkit/store/shared-postgres.ts';
import { aStore } from '../../../testkit/store/a-store.ts';
import { aNewRun, claimOne } from '../../../testkit/workflow/a-run.ts';
import { migrations } from '../sqlite/migrate.ts';
import type { Store } from '../open-store.ts';
import { moveStore } from './move-store.ts';
import { movedTables, ownTables } from './move-tables.ts';

const why = postgresSkipReason === null ? '' : ` (skipped: ${postgresSkipReason})`;
const wanted = { filter: {}, limit: 9 };

async function fill(store: Store): Promise<void> {
  const session = aSession({ turns: [aTurn(1, { text: 'The port is 5433' }), aTurn(2)] });
  await store.sessions.add(localCaller, session, { maxSessions: 9 });
  const item = aMemoryItem({ id: 'one', text: 'Ports \u0000 and "quotes", {braces}' });
  await store.memoryItems.add(localCaller, [{ item, vector: aVector(1) }]);
  await store.traces.record([aSpan()]);
  await store.spending.add(localCaller, ['run:1'], { tokens: 5, usd: 0.1 });
  const log = anAuditLog({ store: store.audit });
  for (let n = 0; n < 1_200; n += 1) log.record(aDecision({ target: `t.${n}` }));
  await log.flush();
}

async function contents(store: Store): Promise<unknown> {
  const items = await store.memoryItems.list(localCaller, {}, { limit: 9 });
  return {
    session: await store.sessions.read(localCaller, 'one'),
    items: items.map((item) => ({ ...item, text: item.text.replaceAll('\u0000', '\uFFFD') })),
    words: (await store.memoryItems.byWords(localCaller, ['port'], wanted)).map(({ id }) => id),
    vectors: await store.memoryItems.byVector(localCaller, aVector(1), wanted),
    traces: await store.traces.recent(localCaller, 9),
    spending: await store.spending.spentBy(localCaller, ['run:1']),
    audit: await anAuditLog({ store: store.audit }).verify(),
  };
}

describe.skipIf(postgresSkipReason !== null)(`a store that is moved${why}`, () => {
  it('is the same on the server, and again in a file, and can be written to there', async () => {
    const [home, other] = [aDirectory(), aDirectory()];
    const databaseUrl = await createSharedDatabase();
    const before = aStore({ home });
    await fill(before);
    const expected = await contents(before);
    const there = await moveStore({ home, databaseUrl, to: 'server' });
    expect(there.tables).toHaveLength(movedTables.length);
    expect(there.tables).toContainEqual({ table: 'audit_entries', rows: 1_200 });
    const server = aStore({ home: aDirectory(), databaseUrl });
    expect(await contents(server)).toEqual(expected);
    await server.memoryItems.add(localCaller, [{ item: aMemoryItem({ id: 'two' }) }]);
    expect(await server.memoryItems.counts()).toMatchObject({ items: 4, problems: [] });
    await server.memoryItems.forget(localCaller, ['two']);
    const back = await moveStore({ home: other, databaseUrl, to: 'file' });
    expect(back.tables).toEqual(there.tables);
    const after = aStore({ home: other });
    expect(await contents(after)).toEqual(expected);
    expect(await after.memoryItems.counts()).toMatchObject({ items: 3, problems: [] });
    expect(after.checkIntegrity()).toEqual({ ok: true, findings: [] });
  });

  it('is refused where there is data already, or nothing to move', async () => {
    const home = aDirectory();
    const databaseUrl = await createSharedDatabase();
    await expect(moveStore({ home, databaseUrl, to: 'server' })).rejects.toMatchObject({
      code: 'store.move_refused',
    });
    await fill(aStore({ home }));
    await moveStore({ home, databaseUrl, to: 'server' });
    for (const to of ['server', 'file'] as const) {
      await expect(moveStore({ home, databaseUrl, to })).rejects.toMatchObject({
        code: 'store.move_refused',
      });
    }
  });

  it('is refused while a process executes runs of it, and moved when that has stopped', async () => {
    const home = aDirectory();
    const databaseUrl = await createSharedDatabase();
    const store = aStore({ home });
    await store.runs.create(aNewRun());
    const lease = (await claimOne(store.runs, 'run1'))!;
    await expect(moveStore({ home, databaseUrl, to: 'server' })).rejects.toThrow(
      'stop every Tutti',
    );
    await store.runs.release([{ lease }]);
    await moveStore({ home, databaseUrl, to: 'server' });
    const server = aStore({ home, databaseUrl });
    expect(await server.runs.create(aNewRun({ runId: 'run2' }))).toMatchObject({ isNew: true });
    expect(await claimOne(server.runs, 'run1')).toBeDefined();
    const other = aDirectory();
    const back = moveStore({ home: other, databaseUrl, to: 'file' });
    await expect(back).rejects.toThrow('stop every Tutti');
  });

  it('has every table of both databases', async () => {
    const known = [...movedTables.map(({ name }) => name), ...ownTables].sort();
    const database = await aPostgresDatabase();
    const rows = await database.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename COLLATE "C"`,
    );
    expect(rows.map(({ name }) => name)).toEqual(known);
    const { DatabaseSync } = await import('node:sqlite');
    const file = new DatabaseSync(':memory:');
    for (const { sql } of migrations) file.exec(sql);
    const tables = file.prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'memory_words%'`,
    );
    const names = tables.all().map((row) => String(row['name']));
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    file.close();
  });
});
