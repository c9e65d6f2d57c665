CREATE TABLE failures (
  id INTEGER PRIMARY KEY,
  failure_id TEXT NOT NULL UNIQUE,
  caller_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  target TEXT NOT NULL,
  signature TEXT NOT NULL,
  run_id TEXT,
  record TEXT NOT NULL,
  cured_by TEXT,
  cured_at_ms INTEGER
) STRICT;

CREATE INDEX failures_by_time ON failures (caller_id, id);
CREATE INDEX failures_by_target ON failures (caller_id, target) WHERE cured_at_ms IS NULL;
CREATE INDEX failures_by_signature ON failures (caller_id, signature);
CREATE INDEX failures_by_run ON failures (caller_id, run_id) WHERE run_id IS NOT NULL;

CREATE TABLE learned_fixes (
  caller_id TEXT NOT NULL,
  fix_id TEXT NOT NULL,
  signature TEXT NOT NULL,
  subject TEXT NOT NULL,
  normalised TEXT NOT NULL,
  changes TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (caller_id, fix_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX learned_fixes_by_signature ON learned_fixes (caller_id, signature);

CREATE TABLE approved_fixes (
  caller_id TEXT NOT NULL,
  fix_id TEXT NOT NULL,
  PRIMARY KEY (caller_id, fix_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE fix_uses (
  id INTEGER PRIMARY KEY,
  caller_id TEXT NOT NULL,
  fix_id TEXT NOT NULL,
  failure_id TEXT,
  at_ms INTEGER NOT NULL,
  is_cured INTEGER NOT NULL
) STRICT;

CREATE INDEX fix_uses_by_fix ON fix_uses (caller_id, fix_id, id);
