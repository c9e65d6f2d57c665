import type { Migration } from './migration.ts';

/** Which process sent a call (JSON), and what the tool of an approved call was then. */
export const effectDispatchersMigration: Migration = {
  version: 12,
  name: 'effect-dispatchers',
  sql: `
    ALTER TABLE effects ADD COLUMN dispatcher TEXT;
    ALTER TABLE approvals ADD COLUMN tool_digest TEXT;
  `,
};
