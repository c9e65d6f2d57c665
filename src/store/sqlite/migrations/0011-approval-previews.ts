import type { Migration } from './migration.ts';

/** What an approved call would do, as it was shown, and what that was made from (JSON). */
export const approvalPreviewsMigration: Migration = {
  version: 11,
  name: 'approval-previews',
  sql: `ALTER TABLE approvals ADD COLUMN preview TEXT;`,
};
