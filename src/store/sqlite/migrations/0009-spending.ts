import type { Migration } from './migration.ts';

/** What runs and sessions used of models, and which of them count against another. */
export const spendingMigration: Migration = {
  version: 9,
  name: 'spending',
  sql: `
    CREATE TABLE spending (
      caller_id TEXT NOT NULL,
      scope TEXT NOT NULL,
      tokens INTEGER NOT NULL,
      usd REAL NOT NULL,
      parent TEXT,
      updated_at_ms INTEGER NOT NULL,
      PRIMARY KEY (caller_id, scope)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX spending_by_time ON spending (updated_at_ms);
  `,
};
