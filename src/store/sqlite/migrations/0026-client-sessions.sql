CREATE TABLE client_session_facts (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  instance TEXT NOT NULL,
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  session_expires_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX client_session_facts_by_session ON client_session_facts (session_id, sequence);
CREATE INDEX client_session_facts_by_expiry ON client_session_facts (expires_at_ms);
