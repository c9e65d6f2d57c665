import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { aSpan } from '../../../testkit/observe/a-span.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { aStore } from '../../../testkit/store/a-store.ts';
import { migrate, readVersion } from './migrate.ts';
import { migrations } from './migrate.ts';
import type { Migration } from './migrate.ts';

const latest = migrations.at(-1)!.version;

const aSpanBatch = `
  INSERT INTO span_batches (first_start_us, last_start_us, span_count, spans)
  VALUES (1767225600000000, 1767225600000000, 1, '{"starts":[["tools/call format_code","server","local",
    {"kept":"yes"}]],"spans":[["0af7651916cd43dd8448eb211c80319c","b7ad6b7169203331",0,1767225600000000,1500]]}');`;

const aRun = `
  INSERT INTO runs (run_id, caller_id, engine, status, created_at_ms) VALUES ('r1', 'local', 'embedded', 'queued', 1);
  INSERT INTO run_contents (run_id, plan, input, meta) VALUES ('r1', '{"version":1,"steps":[]}', '{}', '{}');
  INSERT INTO run_journal (run_id, first, count, entries)
  VALUES ('r1', 0, 1, '[{"kind":"settled","key":"a#1","value":1}]');
  INSERT INTO run_signals (run_id, name, payload, place) VALUES ('r1', 'go', 'true', 1);`;

const aNumberedRun = `
  INSERT INTO runs (run_key, run_id, caller_id, engine, status, created_at_ms)
  VALUES (1, 'r1', 'local', 'embedded', 'queued', 1);
  INSERT INTO run_contents (run_key, plan, input, meta) VALUES (1, '{"version":1,"steps":[]}', '{}', '{}');
  INSERT INTO run_journal (place, count, entries)
  VALUES (1 << 28, 1, '[{"kind":"settled","key":"a#1","value":1}]');
  INSERT INTO run_signals (run_id, name, payload, place) VALUES ('r1', 'go', 'true', 1);`;

const anEffect = `
  INSERT INTO effects (run_id, step, id, generation, attempt, dispatch, state, caller_id, server, tool,
                       arguments_digest, dispatched_at_ms, outcome)
  VALUES ('r1', 'a', 'r1:a:0', 0, 1, 1, 'dispatched', 'local', 's', 's.t', 'sha256:0', 1, 'null');
  INSERT INTO approvals (approval_id, caller_id, run_id, step, server, tool, arguments_digest, arguments,
                         policy_version, message, asked_at_ms, expires_at_ms, state)
  VALUES ('a1', 'local', 'r1', 'a', 's', 's.t', 'sha256:0', '{}', '1:plan', 'Pay?', 1, 2, 'pending');
  INSERT INTO step_cache (caller_id, tool, arguments_digest, held, stored_at_ms)
  VALUES ('local', 's.t', 'sha256:0', '{"value":1}', 1);`;

const aMaker = `
  INSERT INTO artifact_makers (artifact_id, caller_id, run_id, step, bytes, media_type, inputs, created_at_ms)
  VALUES ('sha256:0', 'local', 'r1', 'a', 1, 'text/plain', '[]', 1);`;

const aPreference = `INSERT INTO preferences (caller_id, topic, text, learned_at_ms) VALUES ('local', 'tests', 'pytest', 1);`;

const aSession = `
  INSERT INTO sessions (session_id, caller_id, title, created_at_ms, updated_at_ms, turn_count)
  VALUES ('s1', 'local', 'A talk', 1, 1, 1);
  INSERT INTO session_turns (session_id, number, turn) VALUES ('s1', 1, '{}');
  ${aPreference}`;

const someSpending = `
  INSERT INTO spending (caller_id, scope, tokens, usd, updated_at_ms) VALUES ('local', 'session:s1', 7, 0.1, 1);`;

const aTask = `INSERT INTO session_tasks (session_id, task) VALUES ('s1', '{}');`;

/** What programs of each version left behind: a row in every table they had. */
const aKey = `
  INSERT INTO api_keys (key_id, name, prefix, caller_id, tenant, role, created_by, created_at_ms)
  VALUES ('k1', 'ci', 'tutti_abcdefgh', 'acme/ci', 'acme', 'viewer', 'local', 1);
  INSERT INTO api_key_secrets (digest, prefix, key_id, created_at_ms) VALUES ('d1', 'tutti_abcdefgh', 'k1', 1);`;

const anAuditEntry = `
  INSERT INTO audit_entries (number, at, action, target, is_allowed, rule, face, previous_digest, digest)
  VALUES (1, '2026-01-01T00:00:00.000Z', 'tools.call', 'code.format_code', 1, 'the user', 'cli', '', 'd');`;

const aLogin = `
  INSERT INTO logins (caller_id, server, server_url, resource, issuer, scopes, is_renewable, is_revoked, sealed, version)
  VALUES ('local', 'tracker', 'https://a/', 'https://a/', 'https://b/', '[]', 1, 0, 'x', 1);`;

const anAnswer = `
  INSERT INTO api_answers (caller_id, key, digest, owner, begun_at_ms) VALUES ('local', 'k', 'd', 'o', 1);`;

const aContext = `
  INSERT INTO contexts (owner_id, context_id, name, number, item_count, bytes, tokens, created_at_ms, text)
  VALUES ('local', 'ctx-0', 'notes', 1, 1, 2, 1, 1, '{}');
  INSERT INTO context_shares (shared_with, owner_id, name, shared_at_ms) VALUES ('acme/anna', 'local', 'notes', 1);`;

const aFailure = `
  INSERT INTO failures (failure_id, caller_id, at_ms, target, signature, record)
  VALUES ('f1', 'local', 1, 't', 's', '{}');`;

const aModel = `
  INSERT INTO model_versions (caller_id, name, version, run_key, record, created_at_ms)
  VALUES ('local', 'm', 1, 'r', '{}', 1);`;

const aSessionFact = `
  INSERT INTO client_session_facts (session_id, instance, kind, value, session_expires_at_ms, expires_at_ms)
  VALUES ('s', 'i', 'ended', '', 9, 9);`;

const sinceTasks = `${aSpanBatch} ${aNumberedRun} ${anEffect} ${aMaker} ${aSession} ${someSpending} ${aTask}`;

const sinceHistory = sinceTasks.replace(
  aPreference,
  `INSERT INTO preferences (caller_id, preference)
   VALUES ('local', '{"topic":"tests","text":"pytest","learnedAt":"2026-01-01T00:00:00.000Z","origin":"statement","evidence":"pytest","state":"active"}');`,
);

const rowsOfVersion: Readonly<Record<number, string>> = {
  0: '',
  1: `INSERT INTO spans (trace_id, span_id, parent_span_id, name, kind, started_at_us, duration_us,
                         status, status_message, attributes)
      VALUES ('0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331', NULL, 'tools/call format_code',
              'server', 1767225600000000, 1500, 'unset', NULL, '{"kept":"yes"}')`,
  2: `INSERT INTO spans (trace_id, span_id, parent_span_id, name, kind, started_at_us, duration_us,
                         status, status_message, attributes, caller_id)
      VALUES ('0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331', NULL, 'tools/call format_code',
              'server', 1767225600000000, 1500, 'unset', NULL, '{"kept":"yes"}', 'local'),
             ('0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203332', NULL, 'of a stranger',
              'server', 1767225600000000, 1500, 'error', 'it broke: "x"', '{', 'stranger')`,
  3: aSpanBatch,
  4: `${aSpanBatch} ${aRun}`,
  5: `${aSpanBatch} ${aRun} ${anEffect}`,
  6: `${aSpanBatch} ${aRun} ${anEffect} ${aMaker}`,
  7: `${aSpanBatch} ${aNumberedRun} ${anEffect} ${aMaker}`,
  8: `${aSpanBatch} ${aNumberedRun} ${anEffect} ${aMaker} ${aSession}`,
  9: `${aSpanBatch} ${aNumberedRun} ${anEffect} ${aMaker} ${aSession} ${someSpending}`,
  10: sinceTasks,
  11: sinceTasks,
  12: sinceTasks,
  13: `${sinceTasks} ${aKey}`,
  14: `${sinceTasks} ${aKey} ${anAuditEntry}`,
  15: `${sinceTasks} ${aKey} ${anAuditEntry} ${aLogin}`,
  16: `${sinceTasks} ${aKey} ${anAuditEntry} ${aLogin} ${anAnswer}`,
  17: `${sinceTasks} ${aKey} ${anAuditEntry} ${aLogin} ${anAnswer}`,
  18: `${sinceTasks} ${aKey} ${anAuditEntry} ${aLogin} ${anAnswer} ${aContext}`,
  19: `${sinceTasks} ${aKey} ${anAuditEntry} ${aLogin} ${anAnswer} ${aContext}`,
  20: `${sinceHistory} ${aKey} ${anAuditEntry} ${aLogin} ${anAnswer} ${aContext}`,
  21: `${sinceHistory} ${aKey} ${anAuditEntry} ${aLogin} ${anAnswer} ${aContext} ${aFailure}`,
  22: `${sinceHistory} ${aKey} ${anAuditEntry} ${aLogin} ${anAnswer} ${aContext} ${aFailure}`,
  23: `${sinceHistory} ${aKey} ${anAuditEntry} ${aLogin} ${anAnswer} ${aContext} ${aFailure}`,
  24: `${sinceHistory} ${aKey} ${anAuditEntry} ${aLogin} ${anAnswer} ${aContext} ${aFailure} ${aModel}`,
  25: `${sinceHistory} ${aKey} ${anAuditEntry} ${aLogin} ${anAnswer} ${aContext} ${aFailure} ${aModel}`,
  26: `${sinceHistory} ${aKey} ${anAuditEntry} ${aLogin} ${anAnswer} ${aContext} ${aFailure} ${aModel} ${aSessionFact}`,
  27: `${sinceHistory} ${aKey} ${anAuditEntry} ${aLogin} ${anAnswer} ${aContext} ${aFailure} ${aModel} ${aSessionFact}`,
  28: `${sinceHistory} ${aKey} ${anAuditEntry} ${aLogin} ${anAnswer} ${aContext} ${aFailure} ${aModel} ${aSessionFact}`,
  29: `${sinceHistory} ${aKey} ${anAuditEntry} ${aLogin} ${anAnswer} ${aContext} ${aFailure} ${aModel} ${aSessionFact}`,
};

function aDatabaseOfVersion(version: number): { home: string; path: string } {
  const home = aDirectory();
  const path = join(home, 'tutti.db');
  writeFileSync(path, '', { mode: 0o600 });
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL');
  const steps = migrations.filter((migration) => migration.version <= version);
  migrate(database, { path, migrations: steps, nowMs: 1 });
  database.exec(rowsOfVersion[version] ?? '');
  database.close();
  return { home, path };
}

describe('migrations', () => {
  it('have numbers without gaps and a sample of every earlier version to be tested with', () => {
    expect(migrations.map((migration) => migration.version)).toEqual(
      migrations.map((_, index) => index + 1),
    );
    expect(Object.keys(rowsOfVersion).map(Number)).toEqual(
      Array.from({ length: latest }, (_, version) => version),
    );
  });

  it.each(Object.keys(rowsOfVersion).map(Number))(
    'bring a database of version %i to the newest, with its rows',
    async (version) => {
      const { home } = aDatabaseOfVersion(version);
      const store = aStore({ home });
      const kept = await store.traces.find(localCaller, aSpan().traceId);
      expect(kept).toEqual(
        version === 0
          ? { kind: 'unknown' }
          : { kind: 'found', spans: [aSpan({ attributes: { kept: 'yes' } })] },
      );
      expect(await store.traces.recent({ id: 'stranger' }, 5)).toHaveLength(version === 2 ? 1 : 0);
      await store.traces.record([aSpan({ spanId: 'aaaaaaaaaaaaaaaa', callerId: 'other' })]);
      expect(await store.traces.recent({ id: 'other' }, 5)).toHaveLength(1);
      expect(await store.runs.journal('r1')).toHaveLength(version < 4 ? 0 : 1);
      expect(await store.effects.effects('r1')).toHaveLength(version < 5 ? 0 : 1);
      expect(await store.effects.approvals('r1')).toHaveLength(version < 5 ? 0 : 1);
      expect(await store.keys.list(null, 5)).toHaveLength(version < 13 ? 0 : 1);
      expect(await store.preferences.list(localCaller)).toMatchObject(
        version < 8 ? [] : [{ preference: { topic: 'tests', text: 'pytest', state: 'active' } }],
      );
      expect(store.checkIntegrity()).toEqual({ ok: true, findings: [] });
    },
  );

  it('keep every run with its journal, its lease and what it came to when runs get numbers', async () => {
    const { home, path } = aDatabaseOfVersion(6);
    const database = new DatabaseSync(path);
    database.exec(`
      INSERT INTO run_journal (run_id, first, count, entries)
      VALUES ('r1', 1, 2, '[["b#1",2],["c#1",3]]'), ('r0', 0, 1, '[["z#1",26]]');
      INSERT INTO runs (run_id, caller_id, engine, status, name, created_at_ms, started_at_ms, ended_at_ms,
        epoch, outcome, idempotency_key)
      VALUES ('r0', 'local', 'embedded', 'succeeded', 'n', 5, 6, 7, 3, '{"output":{"value":1}}', 'k');
      INSERT INTO run_contents (run_id, plan, input, meta)
      VALUES ('r0', '{"version":1,"steps":[{"id":"z","tool":"s.t"}]}', '{"a":1}', '{}');
      UPDATE runs SET epoch = 4, lease_owner = 'o', lease_pid = 1, lease_process_start = '1', lease_ms = 10,
        lease_until_ms = 9000000000000000, status = 'running' WHERE run_id = 'r1';`);
    database.close();
    const { runs } = aStore({ home });
    const settled = (key: string, value: number) => ({ kind: 'settled', key, value }) as const;
    expect(await runs.findWhole(localCaller, 'r0')).toMatchObject({
      record: {
        status: 'succeeded',
        name: 'n',
        input: { a: 1 },
        outcome: { output: { value: 1 } },
      },
      entries: [settled('z#1', 26)],
    });
    expect((await runs.journal('r1')).slice(2)).toEqual([settled('c#1', 3)]);
    expect(await runs.journal('r1')).toEqual([
      settled('a#1', 1),
      settled('b#1', 2),
      settled('c#1', 3),
    ]);
    expect(await runs.signals('r1')).toHaveLength(1);
    expect(await runs.list(localCaller, { limit: 9 })).toMatchObject([
      { runId: 'r0' },
      { runId: 'r1' },
    ]);
    const lease = { runId: 'r1', epoch: 4, untilMs: 0 };
    const change = { lease, entries: [settled('d#1', 4)] };
    expect(await runs.commit([change], 'normal')).toEqual({ lost: [] });
    expect((await runs.journal('r1')).slice(3)).toEqual([settled('d#1', 4)]);
    expect(await runs.commit([{ ...change, lease: { ...lease, epoch: 3 } }], 'normal')).toEqual({
      lost: ['r1'],
    });
  });

  it('leave the same schema whichever version they started from', () => {
    const schemas = Object.keys(rowsOfVersion).map((version) => {
      const { path } = aDatabaseOfVersion(Number(version));
      const database = new DatabaseSync(path);
      migrate(database, { path, migrations, nowMs: 1 });
      const rows = database.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all();
      database.close();
      return rows;
    });
    for (const schema of schemas) expect(schema).toEqual(schemas[0]);
  });

  it('change nothing when one of them fails', () => {
    const { path } = aDatabaseOfVersion(1);
    const database = new DatabaseSync(path);
    const broken: Migration = {
      version: 2,
      name: 'broken',
      sql: 'DROP TABLE spans; CREATE TABLE half (id INTEGER) STRICT; SELECT nonsense;',
    };
    expect(() =>
      migrate(database, { path, migrations: [migrations[0]!, broken], nowMs: 1 }),
    ).toThrow('nonsense');
    expect(readVersion(database)).toBe(1);
    expect(database.prepare('SELECT COUNT(*) AS rows FROM spans').get()).toEqual({ rows: 1 });
    expect(database.isTransaction).toBe(false);
    database.close();
  });

  it('refuse a database newer than the program and leave it as it is', async () => {
    const { home, path } = aDatabaseOfVersion(latest);
    const raw = new DatabaseSync(path);
    raw.exec(`PRAGMA user_version = ${latest + 1}`);
    raw.close();
    for (const readonly of [true, false]) {
      await expect(aStore({ home, readonly }).traces.recent(localCaller, 1)).rejects.toMatchObject({
        code: 'store.newer_database',
        message: expect.stringContaining(`knows versions up to ${latest}`),
      });
    }
    const again = new DatabaseSync(path);
    expect(readVersion(again)).toBe(latest + 1);
    again.close();
  });

  it('do nothing again when another process took the step meanwhile', () => {
    const { path } = aDatabaseOfVersion(1);
    const [one, other] = [new DatabaseSync(path), new DatabaseSync(path)];
    // The other process finishes after this one has seen the old version and before it takes the lock.
    const raced = migrations.map((migration) =>
      migration.version === 2
        ? {
            ...migration,
            get version(): number {
              if (readVersion(other) === 1) migrate(other, { path, migrations, nowMs: 2 });
              return 2;
            },
          }
        : migration,
    );
    migrate(one, { path, migrations: raced, nowMs: 3 });
    expect(
      one.prepare('SELECT applied_at_ms FROM schema_migrations WHERE version = 2').all(),
    ).toEqual([{ applied_at_ms: 2 }]);
    one.close();
    other.close();
  });
});
