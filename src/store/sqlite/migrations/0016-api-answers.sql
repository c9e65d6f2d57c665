
    CREATE TABLE api_answers (
      id INTEGER PRIMARY KEY,
      caller_id TEXT NOT NULL,
      key TEXT NOT NULL,
      digest TEXT NOT NULL,
      owner TEXT NOT NULL,
      begun_at_ms INTEGER NOT NULL,
      status INTEGER,
      location TEXT,
      text TEXT,
      UNIQUE (caller_id, key)
    ) STRICT;

    CREATE INDEX api_answers_by_age ON api_answers (begun_at_ms);
