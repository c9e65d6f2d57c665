
    CREATE TABLE spending (
      caller_id TEXT NOT NULL,
      scope TEXT NOT NULL,
      tokens INTEGER NOT NULL,
      usd REAL NOT NULL,
      parent TEXT,
      updated_at_ms INTEGER NOT NULL,
      PRIMARY KEY (caller_id, scope)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX spending_by_time ON spending (updated_at_ms);
  