
    CREATE TABLE memory_items (
      item_key INTEGER PRIMARY KEY AUTOINCREMENT,
      item_id TEXT NOT NULL UNIQUE,
      caller_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      status TEXT NOT NULL,
      sensitivity TEXT NOT NULL,
      pinned INTEGER NOT NULL,
      text TEXT NOT NULL,
      source TEXT NOT NULL,
      session_id TEXT,
      turn INTEGER,
      run_id TEXT REFERENCES runs (run_id) ON DELETE SET NULL,
      observed_at_ms INTEGER NOT NULL,
      valid_from_ms INTEGER NOT NULL,
      valid_until_ms INTEGER,
      supersedes TEXT,
      superseded_by TEXT,
      FOREIGN KEY (session_id, turn) REFERENCES session_turns (session_id, number) ON DELETE CASCADE
    ) STRICT;

    CREATE INDEX memory_items_by_caller ON memory_items (caller_id, observed_at_ms);
    CREATE INDEX memory_items_by_turn ON memory_items (session_id, turn) WHERE session_id IS NOT NULL;
    CREATE INDEX memory_items_by_run ON memory_items (run_id) WHERE run_id IS NOT NULL;

    CREATE TABLE memory_vectors (
      item_key INTEGER PRIMARY KEY REFERENCES memory_items (item_key) ON DELETE CASCADE,
      vector BLOB NOT NULL
    ) STRICT;

    CREATE TABLE memory_pending_vectors (
      item_key INTEGER PRIMARY KEY REFERENCES memory_items (item_key) ON DELETE CASCADE
    ) STRICT;

    CREATE TABLE memory_pending_sessions (
      session_id TEXT PRIMARY KEY REFERENCES sessions (session_id) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    INSERT INTO memory_pending_sessions (session_id) SELECT session_id FROM sessions;

    CREATE TABLE memory_changes (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      caller_id TEXT NOT NULL,
      item_key INTEGER NOT NULL
    ) STRICT;

    CREATE VIRTUAL TABLE memory_words USING fts5(
      text, content = 'memory_items', content_rowid = 'item_key', tokenize = 'porter unicode61'
    );
    INSERT INTO memory_words (memory_words, rank) VALUES ('secure-delete', 1);

    CREATE TRIGGER memory_item_added AFTER INSERT ON memory_items BEGIN
      INSERT INTO memory_words (rowid, text) VALUES (new.item_key, new.text);
      INSERT INTO memory_pending_vectors (item_key) VALUES (new.item_key);
    END;

    CREATE TRIGGER memory_item_removed AFTER DELETE ON memory_items BEGIN
      INSERT INTO memory_words (memory_words, rowid, text) VALUES ('delete', old.item_key, old.text);
      INSERT INTO memory_changes (caller_id, item_key) VALUES (old.caller_id, old.item_key);
    END;

    CREATE TRIGGER memory_item_changed AFTER UPDATE ON memory_items BEGIN
      INSERT INTO memory_changes (caller_id, item_key) VALUES (new.caller_id, new.item_key);
    END;

    CREATE TRIGGER memory_vector_added AFTER INSERT ON memory_vectors BEGIN
      INSERT INTO memory_changes (caller_id, item_key)
      SELECT caller_id, item_key FROM memory_items WHERE item_key = new.item_key;
      DELETE FROM memory_pending_vectors WHERE item_key = new.item_key;
    END;

    CREATE TRIGGER memory_changes_bounded AFTER INSERT ON memory_changes WHEN new.number % 1000 = 0 BEGIN
      DELETE FROM memory_changes WHERE number <= new.number - 20000;
    END;
