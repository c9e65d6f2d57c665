
    CREATE TABLE schema_migrations (
      version INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      checksum TEXT NOT NULL,
      applied_at_ms INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE spans (
      id INTEGER PRIMARY KEY,
      trace_id TEXT NOT NULL,
      span_id TEXT NOT NULL,
      parent_span_id TEXT,
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      started_at_us INTEGER NOT NULL,
      duration_us INTEGER NOT NULL,
      status TEXT NOT NULL,
      status_message TEXT,
      attributes TEXT NOT NULL,
      UNIQUE (trace_id, span_id)
    ) STRICT;

    CREATE INDEX spans_by_start ON spans (started_at_us);
  