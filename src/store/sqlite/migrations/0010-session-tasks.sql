
    CREATE TABLE session_tasks (
      session_id TEXT PRIMARY KEY REFERENCES sessions (session_id) ON DELETE CASCADE,
      task TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  