
    ALTER TABLE spans ADD COLUMN caller_id TEXT NOT NULL DEFAULT 'local';
    CREATE INDEX spans_by_caller ON spans (caller_id, trace_id, started_at_us, duration_us, status);
  