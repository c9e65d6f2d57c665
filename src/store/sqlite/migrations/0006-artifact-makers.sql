
    CREATE TABLE artifact_makers (
      id INTEGER PRIMARY KEY,
      artifact_id TEXT NOT NULL,
      caller_id TEXT NOT NULL,
      run_id TEXT NOT NULL,
      step TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      media_type TEXT NOT NULL,
      tool TEXT,
      arguments_digest TEXT,
      inputs TEXT NOT NULL,
      created_at_ms INTEGER NOT NULL,
      UNIQUE (artifact_id, caller_id, run_id, step)
    ) STRICT;

    CREATE INDEX artifact_makers_by_run ON artifact_makers (caller_id, run_id, artifact_id);
  