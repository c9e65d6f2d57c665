import type { Migration } from './migration.ts';

/** The unfinished task of a session: what the agent needs to go on with it after a crash. One row, replaced as it goes on. */
export const sessionTasksMigration: Migration = {
  version: 10,
  name: 'session-tasks',
  sql: `
    CREATE TABLE session_tasks (
      session_id TEXT PRIMARY KEY REFERENCES sessions (session_id) ON DELETE CASCADE,
      task TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
