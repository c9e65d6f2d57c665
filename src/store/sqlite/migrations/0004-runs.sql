
    CREATE TABLE runs (
      run_id TEXT PRIMARY KEY,
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
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX runs_by_caller ON runs (caller_id, created_at_ms);
    CREATE UNIQUE INDEX runs_by_idempotency_key ON runs (caller_id, idempotency_key)
      WHERE idempotency_key IS NOT NULL;
    CREATE INDEX runs_to_do ON runs (engine, wake_at_ms) WHERE ended_at_ms IS NULL;
    CREATE INDEX runs_ended ON runs (ended_at_ms) WHERE ended_at_ms IS NOT NULL;

    CREATE TABLE run_contents (
      run_id TEXT PRIMARY KEY,
      plan TEXT NOT NULL,
      input TEXT NOT NULL,
      meta TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE run_journal (
      run_id TEXT NOT NULL,
      first INTEGER NOT NULL,
      count INTEGER NOT NULL,
      entries TEXT NOT NULL,
      PRIMARY KEY (run_id, first)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE run_signals (
      run_id TEXT NOT NULL,
      name TEXT NOT NULL,
      payload TEXT NOT NULL,
      place INTEGER NOT NULL,
      PRIMARY KEY (run_id, name)
    ) STRICT, WITHOUT ROWID;
  