CREATE TABLE agent_usage (
  caller_id TEXT NOT NULL,
  task TEXT NOT NULL,
  calls INTEGER NOT NULL,
  rounds INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  PRIMARY KEY (caller_id, task)
) STRICT, WITHOUT ROWID;

CREATE INDEX agent_usage_by_time ON agent_usage (updated_at_ms);
