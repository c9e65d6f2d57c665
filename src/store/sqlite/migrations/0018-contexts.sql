
CREATE TABLE contexts (
  id INTEGER PRIMARY KEY,
  owner_id TEXT NOT NULL,
  context_id TEXT NOT NULL,
  name TEXT NOT NULL,
  number INTEGER NOT NULL,
  parent_id TEXT,
  item_count INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (owner_id, context_id),
  UNIQUE (owner_id, name, number)
) STRICT;

CREATE INDEX contexts_by_context_id ON contexts (context_id);
CREATE INDEX contexts_by_size ON contexts (owner_id, bytes);

CREATE TABLE context_shares (
  shared_with TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  shared_at_ms INTEGER NOT NULL,
  PRIMARY KEY (shared_with, owner_id, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX context_shares_by_owner ON context_shares (owner_id, name);
