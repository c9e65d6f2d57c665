CREATE TABLE instances (
  instance_id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  version TEXT NOT NULL,
  address TEXT NOT NULL,
  is_draining INTEGER NOT NULL,
  servers INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  is_drain_requested INTEGER NOT NULL DEFAULT 0,
  started_at_ms INTEGER NOT NULL,
  beat_at_ms INTEGER NOT NULL
) STRICT;
