
    CREATE TABLE effects (
      run_id TEXT NOT NULL,
      step TEXT NOT NULL,
      id TEXT NOT NULL,
      generation INTEGER NOT NULL,
      attempt INTEGER NOT NULL,
      dispatch INTEGER NOT NULL,
      state TEXT NOT NULL,
      caller_id TEXT NOT NULL,
      server TEXT NOT NULL,
      tool TEXT NOT NULL,
      arguments_digest TEXT NOT NULL,
      approval_id TEXT,
      dispatched_at_ms INTEGER NOT NULL,
      settled_at_ms INTEGER,
      outcome TEXT NOT NULL,
      PRIMARY KEY (run_id, step)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE approvals (
      approval_id TEXT PRIMARY KEY,
      caller_id TEXT NOT NULL,
      run_id TEXT NOT NULL,
      step TEXT NOT NULL,
      server TEXT,
      tool TEXT,
      arguments_digest TEXT NOT NULL,
      arguments TEXT NOT NULL,
      policy_version TEXT NOT NULL,
      message TEXT NOT NULL,
      asked_at_ms INTEGER NOT NULL,
      expires_at_ms INTEGER NOT NULL,
      state TEXT NOT NULL,
      decided_by TEXT,
      decided_at_ms INTEGER,
      reason TEXT,
      used_by TEXT
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX approvals_by_step ON approvals (run_id, step, asked_at_ms);

    CREATE TABLE step_cache (
      caller_id TEXT NOT NULL,
      tool TEXT NOT NULL,
      arguments_digest TEXT NOT NULL,
      held TEXT NOT NULL,
      stored_at_ms INTEGER NOT NULL,
      PRIMARY KEY (caller_id, tool, arguments_digest)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX step_cache_by_age ON step_cache (stored_at_ms);
  