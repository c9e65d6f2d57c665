import type {
  AgentTally,
  DelegationChange,
  DelegationPlace,
  DelegationRow,
  DelegationStore,
  Usage,
  UsageRequest,
} from '../../agents/index.ts';
import { all, one, type SqlDatabase, type SqlRow, type SqlWork } from './sql-database.ts';

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
  INSERT INTO delegations (${columns.join(', ')}) VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')})`;

const selectSql = `SELECT ${columns.join(', ')} FROM delegations WHERE caller_id = $1`;
const oneSql = `${selectSql} AND key = $2 AND attempt = $3`;
const attemptsSql = `${selectSql} AND key = $2 ORDER BY attempt`;
const ofRunSql = `${selectSql} AND (run_id = $2 OR parent_run = $2) ORDER BY started_at_ms, key, attempt`;
/** Rows whose text has the id anywhere; the latest first, as an agent begins after the one it works for. */
const ofChangeSql = `${selectSql} AND result LIKE $2 ORDER BY started_at_ms DESC, key, attempt LIMIT 20`;
const countSql = 'SELECT count(*) AS count FROM delegations WHERE caller_id = $1 AND root = $2';
/** What a caller got wrong or stopped says nothing of the agent. */
const latestSql = `
  SELECT agent, version, verdict FROM delegations
  WHERE caller_id = $1 AND ended_at_ms IS NOT NULL AND verdict NOT IN ('refused', 'cancelled')
  ORDER BY started_at_ms DESC, key, attempt LIMIT $2`;

const durationsSql = `
  SELECT capability, avg(ended_at_ms - started_at_ms) AS mean FROM delegations
  WHERE caller_id = $1 AND ended_at_ms IS NOT NULL AND verdict NOT IN ('refused', 'cancelled')
  GROUP BY capability`;

const disabledSql = 'SELECT agent FROM disabled_agents WHERE caller_id = $1 ORDER BY agent';
const disableSql =
  'INSERT INTO disabled_agents (caller_id, agent) VALUES ($1, $2) ON CONFLICT DO NOTHING';
const enableSql = 'DELETE FROM disabled_agents WHERE caller_id = $1 AND agent = $2';

/** Older tasks say little about how an agent does now. */
const maxTallied = 2_000;
const maxRecent = 10;

/** Kept for explanations; older rows go as new ones come. */
const maxRows = 20_000;
const trimSql = `
  DELETE FROM delegations WHERE caller_id = $1 AND ended_at_ms IS NOT NULL AND started_at_ms <
    (SELECT started_at_ms FROM delegations WHERE caller_id = $1 ORDER BY started_at_ms DESC LIMIT 1 OFFSET $2)`;

const usedSql = 'SELECT calls, rounds FROM agent_usage WHERE caller_id = $1 AND task = $2';
const useSql = `
  INSERT INTO agent_usage (caller_id, task, calls, rounds, updated_at_ms) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (caller_id, task) DO UPDATE SET calls = agent_usage.calls + excluded.calls,
    rounds = agent_usage.rounds + excluded.rounds, updated_at_ms = excluded.updated_at_ms`;
const forgetUsageSql = 'DELETE FROM agent_usage WHERE updated_at_ms < $1';
const usageKeptMs = 400 * 24 * 3_600_000;

/** Keeps who was chosen for tasks, and what became of it. */
export class SqlDelegationStore implements DelegationStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async begin(row: DelegationRow, maxOfRoot: number): Promise<DelegationRow | undefined> {
    const { callerId, key, attempt, root } = row;
    return this.#write(callerId, function* () {
      const kept = yield* one(oneSql, callerId, key, attempt);
      if (kept) return rowOf(kept);
      const count = Number((yield* one(countSql, callerId, root))?.['count'] ?? 0);
      if (count >= maxOfRoot) return undefined;
      yield* all(insertSql, ...valuesOf(row));
      yield* all(trimSql, callerId, maxRows);
      yield* all(forgetUsageSql, row.startedAtMs - usageKeptMs);
      return row;
    });
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
    const assignments = given.map(([name], index) => `${name} = $${index + 4}`).join(', ');
    const sql = `UPDATE delegations SET ${assignments} WHERE caller_id = $1 AND key = $2 AND attempt = $3`;
    await this.#write(callerId, () =>
      all(sql, callerId, key, attempt, ...given.map(([, value]) => value)),
    );
  }

  async use(callerId: string, { unit, tasks, nowMs }: UsageRequest): Promise<boolean> {
    const terms = { locks: [`delegations ${callerId}`], durability: 'normal' } as const;
    return this.#database.write(terms, function* () {
      for (const { id, limit } of tasks) {
        const used = Number((yield* one(usedSql, callerId, id))?.[unit] ?? 0);
        if (used >= limit) return false;
      }
      const counts = unit === 'calls' ? [1, 0] : [0, 1];
      for (const { id } of tasks) yield* all(useSql, callerId, id, ...counts, nowMs);
      return true;
    });
  }

  async used(callerId: string, ids: readonly string[]): Promise<readonly Usage[]> {
    return Promise.all(
      ids.map(async (id) => {
        const [row] = await this.#database.rows(usedSql, callerId, id);
        return { calls: Number(row?.['calls'] ?? 0), rounds: Number(row?.['rounds'] ?? 0) };
      }),
    );
  }

  async attempts(callerId: string, key: string): Promise<readonly DelegationRow[]> {
    return (await this.#database.rows(attemptsSql, callerId, key)).map(rowOf);
  }

  async ofRun(callerId: string, runId: string): Promise<readonly DelegationRow[]> {
    return (await this.#database.rows(ofRunSql, callerId, runId)).map(rowOf);
  }

  async ofChange(callerId: string, changeId: string): Promise<DelegationRow | undefined> {
    const rows = await this.#database.rows(ofChangeSql, callerId, `%${JSON.stringify(changeId)}%`);
    const made = ({ result }: DelegationRow): boolean => {
      const changes: unknown = Object(result).changes;
      return Array.isArray(changes) && changes.some((one) => Object(one).id === changeId);
    };
    return rows.map(rowOf).find(made);
  }

  async tally(callerId: string): Promise<readonly AgentTally[]> {
    const rows = await this.#database.rows(latestSql, callerId, maxTallied);
    const groups = Map.groupBy(rows, ({ agent, version }) => `${String(agent)}@${String(version)}`);
    return [...groups.values()].flatMap((group) => {
      const [first] = group;
      const isFailed = ({ verdict }: SqlRow): boolean => verdict === 'failed';
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
    const rows = await this.#database.rows(durationsSql, callerId);
    return new Map(rows.map(({ capability, mean }) => [String(capability), Number(mean)]));
  }

  async disabled(callerId: string): Promise<readonly string[]> {
    const rows = await this.#database.rows(disabledSql, callerId);
    return rows.map(({ agent }) => String(agent));
  }

  async setDisabled(callerId: string, agent: string, isDisabled: boolean): Promise<void> {
    await this.#write(callerId, () => all(isDisabled ? disableSql : enableSql, callerId, agent));
  }

  /** A task of an agent begins once, also when power is lost: the row is there before its run is. */
  #write<Result>(callerId: string, work: () => SqlWork<Result>): Promise<Result> {
    return this.#database.write({ locks: [`delegations ${callerId}`], durability: 'full' }, work);
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
