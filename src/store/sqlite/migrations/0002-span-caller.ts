import type { Migration } from './migration.ts';

/** A caller sees its own spans only; those recorded before belong to the local one. */
export const spanCallerMigration: Migration = {
  version: 2,
  name: 'span-caller',
  sql: `
    ALTER TABLE spans ADD COLUMN caller_id TEXT NOT NULL DEFAULT 'local';
    CREATE INDEX spans_by_caller ON spans (caller_id, trace_id, started_at_us, duration_us, status);
  `,
};
