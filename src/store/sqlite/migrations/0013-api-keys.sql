    CREATE TABLE api_keys (
      key_id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      prefix TEXT NOT NULL,
      caller_id TEXT NOT NULL,
      tenant TEXT NOT NULL,
      role TEXT NOT NULL,
      scopes TEXT,
      created_by TEXT NOT NULL,
      created_at_ms INTEGER NOT NULL,
      expires_at_ms INTEGER,
      last_used_at_ms INTEGER,
      revoked_at_ms INTEGER,
      disabled_at_ms INTEGER
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX api_keys_by_tenant ON api_keys (tenant, created_at_ms);

    CREATE TABLE api_key_secrets (
      digest TEXT PRIMARY KEY,
      prefix TEXT NOT NULL,
      key_id TEXT NOT NULL REFERENCES api_keys (key_id),
      created_at_ms INTEGER NOT NULL,
      ends_at_ms INTEGER
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX api_key_secrets_by_prefix ON api_key_secrets (prefix);

    CREATE TABLE disabled_tenants (
      tenant TEXT PRIMARY KEY,
      disabled_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE access_revision (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      revision INTEGER NOT NULL
    ) STRICT;

    INSERT INTO access_revision (id, revision) VALUES (1, 0);

    CREATE TABLE run_grants (
      run_id TEXT PRIMARY KEY,
      caller_id TEXT NOT NULL,
      tenant TEXT NOT NULL,
      role TEXT NOT NULL,
      scopes TEXT,
      credential TEXT NOT NULL,
      granted_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX run_grants_by_time ON run_grants (granted_at_ms);
