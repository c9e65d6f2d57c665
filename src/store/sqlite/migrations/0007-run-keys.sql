
    CREATE TABLE keyed_runs (
      run_key INTEGER PRIMARY KEY,
      run_id TEXT NOT NULL UNIQUE,
      caller_id TEXT NOT NULL,
      engine TEXT NOT NULL,
      place TEXT,
      status TEXT NOT NULL,
      name TEXT,
      goal TEXT,
      created_at_ms INTEGER NOT NULL,
      started_at_ms INTEGER,
      ended_at_ms INTEGER,
      deadline_ms INTEGER,
      forked_from TEXT,
      idempotency_key TEXT,
      request TEXT,
      request_reason TEXT,
      signal_count INTEGER NOT NULL DEFAULT 0,
      wake_at_ms INTEGER NOT NULL DEFAULT 0,
      epoch INTEGER NOT NULL DEFAULT 0,
      lease_owner TEXT,
      lease_pid INTEGER,
      lease_process_start TEXT,
      lease_ms INTEGER,
      lease_until_ms INTEGER,
      outcome TEXT
    ) STRICT;

    INSERT INTO keyed_runs (run_id, caller_id, engine, place, status, name, goal, created_at_ms,
      started_at_ms, ended_at_ms, deadline_ms, forked_from, idempotency_key, request, request_reason,
      signal_count, wake_at_ms, epoch, lease_owner, lease_pid, lease_process_start, lease_ms,
      lease_until_ms, outcome)
    SELECT run_id, caller_id, engine, place, status, name, goal, created_at_ms,
      started_at_ms, ended_at_ms, deadline_ms, forked_from, idempotency_key, request, request_reason,
      signal_count, wake_at_ms, epoch, lease_owner, lease_pid, lease_process_start, lease_ms,
      lease_until_ms, outcome
    FROM runs ORDER BY created_at_ms, run_id;

    CREATE TABLE keyed_contents (
      run_key INTEGER PRIMARY KEY,
      plan TEXT NOT NULL,
      input TEXT NOT NULL,
      meta TEXT NOT NULL
    ) STRICT;

    INSERT INTO keyed_contents (run_key, plan, input, meta)
    SELECT run_key, plan, input, meta FROM keyed_runs JOIN run_contents USING (run_id) ORDER BY run_key;

    CREATE TABLE keyed_journal (
      place INTEGER PRIMARY KEY,
      count INTEGER NOT NULL,
      entries TEXT NOT NULL
    ) STRICT;

    INSERT INTO keyed_journal (place, count, entries)
    SELECT (run_key << 28) + first, count, entries FROM keyed_runs JOIN run_journal USING (run_id)
    ORDER BY run_key, first;

    DROP TABLE runs;
    DROP TABLE run_contents;
    DROP TABLE run_journal;
    ALTER TABLE keyed_runs RENAME TO runs;
    ALTER TABLE keyed_contents RENAME TO run_contents;
    ALTER TABLE keyed_journal RENAME TO run_journal;

    CREATE INDEX runs_by_caller ON runs (caller_id, created_at_ms);
    CREATE UNIQUE INDEX runs_by_idempotency_key ON runs (caller_id, idempotency_key)
      WHERE idempotency_key IS NOT NULL;
    CREATE INDEX runs_to_do ON runs (engine, wake_at_ms) WHERE ended_at_ms IS NULL;
    CREATE INDEX runs_ended ON runs (ended_at_ms) WHERE ended_at_ms IS NOT NULL;
  