CREATE TABLE agent_choices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  caller_id TEXT NOT NULL,
  is_change INTEGER NOT NULL,
  entry TEXT NOT NULL
) STRICT;

CREATE INDEX agent_choices_by_caller ON agent_choices (caller_id, id);
