
    CREATE TABLE audit_entries (
      number INTEGER PRIMARY KEY,
      at TEXT NOT NULL,
      caller_id TEXT,
      tenant TEXT,
      credential TEXT,
      action TEXT NOT NULL,
      target TEXT NOT NULL,
      is_allowed INTEGER NOT NULL,
      rule TEXT NOT NULL,
      face TEXT NOT NULL,
      arguments_digest TEXT,
      address TEXT,
      trace_id TEXT,
      previous_digest TEXT NOT NULL,
      digest TEXT NOT NULL
    ) STRICT;

    CREATE TABLE audit_marks (
      name TEXT PRIMARY KEY,
      number INTEGER NOT NULL,
      digest TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  
