import type {
  AgentTally,
  DelegationChange,
  DelegationPlace,
  DelegationRow,
  DelegationStore,
} from '../../agents/index.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

const columns = [
  'caller_id',
  'key',
  'attempt',
  'root',
  'parent_run',
  'parent_step',
  'agent',
  'version',
  'capability',
  'task',
  'decision',
  'run_id',
  'session_id',
  'verdict',
  'error',
  'result',
  'started_at_ms',
  'ended_at_ms',
];

const insertSql = `
  INSERT INTO delegations (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;

const selectSql = `SELECT ${columns.join(', ')} FROM delegations WHERE caller_id = ?1`;
const oneSql = `${selectSql} AND key = ?2 AND attempt = ?3`;
const attemptsSql = `${selectSql} AND key = ?2 ORDER BY attempt`;
const ofRunSql = `${selectSql} AND (run_id = ?2 OR parent_run = ?2) ORDER BY started_at_ms, key, attempt`;
const countSql = 'SELECT count(*) AS count FROM delegations WHERE caller_id = ? AND root = ?';
const latestSql = `
  SELECT agent, version, verdict FROM delegations
  WHERE caller_id = ? AND ended_at_ms IS NOT NULL ORDER BY started_at_ms DESC LIMIT ?`;

const durationsSql = `
  SELECT capability, avg(ended_at_ms - started_at_ms) AS mean FROM delegations
  WHERE caller_id = ? AND ended_at_ms IS NOT NULL GROUP BY capability`;

/** Older tasks say little about how an agent does now. */
const maxTallied = 2_000;
const maxRecent = 10;

/** Kept for explanations; older rows go as new ones come. */
const maxRows = 20_000;
const trimSql = `
  DELETE FROM delegations WHERE caller_id = ?1 AND ended_at_ms IS NOT NULL AND started_at_ms <
    (SELECT started_at_ms FROM delegations WHERE caller_id = ?1 ORDER BY started_at_ms DESC LIMIT 1 OFFSET ?2)`;

/** A task of an agent begins once, also when power is lost: the row is there before its run is. */
const terms = { durability: 'full', busyTimeoutMs: 250 } as const;

type SqlRow = Readonly<Record<string, unknown>>;

/** Keeps who was chosen for tasks, and what became of it, in SQLite. */
export class SqliteDelegationStore implements DelegationStore {
  readonly #database: SqliteDatabase;
  readonly #patienceMs: number;

  constructor(database: SqliteDatabase, { patienceMs }: { readonly patienceMs: number }) {
    this.#database = database;
    this.#patienceMs = patienceMs;
  }

  async begin(row: DelegationRow, maxOfRoot: number): Promise<DelegationRow | undefined> {
    const { callerId, key, attempt, root } = row;
    return whileStoreBusy(this.#patienceMs, () =>
      this.#database.write(terms, (statements) => {
        const kept = statements(oneSql).get(callerId, key, attempt);
        if (kept) return rowOf(kept);
        const count = Number(statements(countSql).get(callerId, root)?.['count'] ?? 0);
        if (count >= maxOfRoot) return undefined;
        statements(insertSql).run(...valuesOf(row));
        statements(trimSql).run(callerId, maxRows);
        return row;
      }),
    );
  }

  async change(
    { callerId, key, attempt }: DelegationPlace,
    change: DelegationChange,
  ): Promise<void> {
    const { runId, sessionId, verdict, error, result, endedAtMs } = change;
    const sets = {
      run_id: runId,
      session_id: sessionId,
      verdict,
      error,
      result: result === undefined ? undefined : JSON.stringify(result),
      ended_at_ms: endedAtMs,
    };
    const given = Object.entries(sets).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    if (given.length === 0) return;
    const sql = `UPDATE delegations SET ${given.map(([name]) => `${name} = ?`).join(', ')} WHERE caller_id = ? AND key = ? AND attempt = ?`;
    await whileStoreBusy(this.#patienceMs, () =>
      this.#database.write(terms, (statements) => {
        statements(sql).run(...given.map(([, value]) => value), callerId, key, attempt);
      }),
    );
  }

  async attempts(callerId: string, key: string): Promise<readonly DelegationRow[]> {
    return this.#read(attemptsSql, callerId, key).map(rowOf);
  }

  async ofRun(callerId: string, runId: string): Promise<readonly DelegationRow[]> {
    return this.#read(ofRunSql, callerId, runId).map(rowOf);
  }

  async tally(callerId: string): Promise<readonly AgentTally[]> {
    const rows = this.#read(latestSql, callerId, maxTallied);
    const groups = Map.groupBy(rows, ({ agent, version }) => `${String(agent)}@${String(version)}`);
    return [...groups.values()].flatMap((group) => {
      const [first] = group;
      const isFailed = ({ verdict }: SqlRow): boolean =>
        verdict === 'failed' || verdict === 'refused';
      const failed = group.filter(isFailed).length;
      const recent = group.slice(0, maxRecent);
      const share = 1 - recent.filter(isFailed).length / recent.length;
      const { agent, version } = first ?? {};
      return [
        {
          agent: String(agent),
          version: String(version),
          done: group.length - failed,
          failed,
          recent: share,
        },
      ];
    });
  }

  async durations(callerId: string): Promise<ReadonlyMap<string, number>> {
    const rows = this.#read(durationsSql, callerId);
    return new Map(rows.map(({ capability, mean }) => [String(capability), Number(mean)]));
  }

  async disabled(callerId: string): Promise<readonly string[]> {
    const rows = this.#read('SELECT agent FROM disabled_agents WHERE caller_id = ?', callerId);
    return rows.map(({ agent }) => String(agent));
  }

  async setDisabled(callerId: string, agent: string, isDisabled: boolean): Promise<void> {
    const sql = isDisabled
      ? 'INSERT INTO disabled_agents (caller_id, agent) VALUES (?, ?) ON CONFLICT DO NOTHING'
      : 'DELETE FROM disabled_agents WHERE caller_id = ? AND agent = ?';
    await whileStoreBusy(this.#patienceMs, () =>
      this.#database.write(terms, (statements) => void statements(sql).run(callerId, agent)),
    );
  }

  #read(sql: string, ...values: readonly (string | number)[]): readonly SqlRow[] {
    // A read must not create the database.
    if (!this.#database.exists) return [];
    return this.#database.readOne((statements) => statements(sql).all(...values));
  }
}

function valuesOf(row: DelegationRow): (string | number | null)[] {
  return [
    row.callerId,
    row.key,
    row.attempt,
    row.root,
    row.parentRun,
    row.parentStep,
    row.agent,
    row.version,
    row.capability,
    row.task,
    JSON.stringify(row.decision),
    row.runId,
    row.sessionId,
    row.verdict,
    row.error,
    JSON.stringify(row.result),
    row.startedAtMs,
    row.endedAtMs,
  ];
}

function rowOf(row: SqlRow): DelegationRow {
  const text = (name: string): string => String(row[name]);
  const textOrNull = (name: string): string | null => (row[name] === null ? null : text(name));
  return {
    callerId: text('caller_id'),
    key: text('key'),
    attempt: Number(row['attempt']),
    root: text('root'),
    parentRun: textOrNull('parent_run'),
    parentStep: textOrNull('parent_step'),
    agent: text('agent'),
    version: text('version'),
    capability: text('capability'),
    task: text('task'),
    decision: JSON.parse(text('decision')),
    runId: textOrNull('run_id'),
    sessionId: textOrNull('session_id'),
    // Written by `valuesOf` and `change` alone.
    verdict: text('verdict') as DelegationRow['verdict'],
    error: textOrNull('error'),
    result: JSON.parse(text('result')),
    startedAtMs: Number(row['started_at_ms']),
    endedAtMs: row['ended_at_ms'] === null ? null : Number(row['ended_at_ms']),
  };
}
