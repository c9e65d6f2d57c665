
    CREATE TABLE sessions (
      id INTEGER PRIMARY KEY,
      session_id TEXT NOT NULL UNIQUE,
      caller_id TEXT NOT NULL,
      title TEXT NOT NULL,
      created_at_ms INTEGER NOT NULL,
      updated_at_ms INTEGER NOT NULL,
      forked_from TEXT,
      forked_turn INTEGER,
      summary TEXT,
      summary_turn INTEGER,
      turn_count INTEGER NOT NULL,
      epoch INTEGER NOT NULL DEFAULT 0,
      lease_owner TEXT,
      lease_pid INTEGER,
      lease_process_start TEXT,
      lease_ms INTEGER,
      lease_since_ms INTEGER,
      lease_until_ms INTEGER
    ) STRICT;

    CREATE INDEX sessions_by_caller ON sessions (caller_id, updated_at_ms);
    CREATE INDEX sessions_leased ON sessions (caller_id) WHERE lease_owner IS NOT NULL;

    CREATE TABLE session_turns (
      session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      turn TEXT NOT NULL,
      PRIMARY KEY (session_id, number)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE preferences (
      id INTEGER PRIMARY KEY,
      caller_id TEXT NOT NULL,
      topic TEXT NOT NULL,
      text TEXT NOT NULL,
      learned_at_ms INTEGER NOT NULL,
      UNIQUE (caller_id, topic)
    ) STRICT;
  