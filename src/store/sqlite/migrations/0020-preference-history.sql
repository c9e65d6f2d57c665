
    CREATE TABLE preferences_with_history (
      id INTEGER PRIMARY KEY,
      caller_id TEXT NOT NULL,
      preference TEXT NOT NULL
    ) STRICT;

    INSERT INTO preferences_with_history (id, caller_id, preference)
    SELECT id, caller_id, json_object(
      'topic', topic,
      'text', text,
      'learnedAt', strftime('%Y-%m-%dT%H:%M:%fZ', learned_at_ms / 1000.0, 'unixepoch'),
      'origin', 'statement',
      'evidence', text,
      'state', 'active')
    FROM preferences;

    DROP TABLE preferences;
    ALTER TABLE preferences_with_history RENAME TO preferences;
    CREATE INDEX preferences_by_caller ON preferences (caller_id, id);
