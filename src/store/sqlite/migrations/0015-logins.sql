CREATE TABLE logins (
  caller_id TEXT NOT NULL,
  server TEXT NOT NULL,
  server_url TEXT NOT NULL,
  resource TEXT NOT NULL,
  issuer TEXT NOT NULL,
  scopes TEXT NOT NULL,
  account TEXT,
  expires_at_ms INTEGER,
  is_renewable INTEGER NOT NULL,
  is_revoked INTEGER NOT NULL,
  sealed TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (caller_id, server)
) STRICT, WITHOUT ROWID;

CREATE TABLE login_locks (
  caller_id TEXT NOT NULL,
  server TEXT NOT NULL,
  owner TEXT NOT NULL,
  until_ms INTEGER NOT NULL,
  PRIMARY KEY (caller_id, server)
) STRICT, WITHOUT ROWID;

CREATE TABLE login_clients (
  issuer TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  sealed TEXT NOT NULL,
  PRIMARY KEY (issuer, redirect_uri)
) STRICT, WITHOUT ROWID;
