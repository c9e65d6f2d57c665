CREATE TABLE delegations (
  caller_id TEXT NOT NULL,
  key TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  root TEXT NOT NULL,
  parent_run TEXT,
  parent_step TEXT,
  agent TEXT NOT NULL,
  version TEXT NOT NULL,
  capability TEXT NOT NULL,
  task TEXT NOT NULL,
  decision TEXT NOT NULL,
  run_id TEXT,
  session_id TEXT,
  verdict TEXT NOT NULL,
  error TEXT,
  result TEXT NOT NULL,
  started_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER,
  PRIMARY KEY (caller_id, key, attempt)
) STRICT;

CREATE INDEX delegations_by_run ON delegations (caller_id, run_id);
CREATE INDEX delegations_by_parent ON delegations (caller_id, parent_run);
CREATE INDEX delegations_by_root ON delegations (caller_id, root);
CREATE INDEX delegations_by_time ON delegations (caller_id, started_at_ms);

CREATE TABLE disabled_agents (
  caller_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  PRIMARY KEY (caller_id, agent)
) STRICT, WITHOUT ROWID;
