
CREATE TABLE feedback (
  id INTEGER PRIMARY KEY,
  caller_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  is_good INTEGER NOT NULL,
  run_id TEXT,
  session_id TEXT,
  reason TEXT NOT NULL,
  given_at_ms INTEGER NOT NULL,
  UNIQUE (caller_id, kind, subject)
) STRICT;

CREATE INDEX feedback_by_time ON feedback (caller_id, given_at_ms);
