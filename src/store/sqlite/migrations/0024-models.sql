CREATE TABLE model_versions (
  sequence INTEGER PRIMARY KEY,
  caller_id TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  run_key TEXT NOT NULL,
  record TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (caller_id, name, version),
  UNIQUE (caller_id, name, run_key)
) STRICT;

CREATE INDEX model_versions_by_caller ON model_versions (caller_id, sequence);

CREATE TABLE model_alias_moves (
  id INTEGER PRIMARY KEY,
  caller_id TEXT NOT NULL,
  name TEXT NOT NULL,
  alias TEXT NOT NULL,
  version INTEGER NOT NULL,
  previous INTEGER,
  reason TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX model_alias_moves_by_name ON model_alias_moves (caller_id, name, alias, id);
