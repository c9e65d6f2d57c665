import { spansMigration } from './0001-spans.ts';
import { spanCallerMigration } from './0002-span-caller.ts';
import { spanBatchesMigration } from './0003-span-batches.ts';
import { runsMigration } from './0004-runs.ts';
import { effectsMigration } from './0005-effects.ts';
import { artifactMakersMigration } from './0006-artifact-makers.ts';
import { runKeysMigration } from './0007-run-keys.ts';
import { sessionsMigration } from './0008-sessions.ts';
import { spendingMigration } from './0009-spending.ts';
import { sessionTasksMigration } from './0010-session-tasks.ts';
import { approvalPreviewsMigration } from './0011-approval-previews.ts';
import { effectDispatchersMigration } from './0012-effect-dispatchers.ts';
import type { Migration } from './migration.ts';

/** Every step from an empty database to this program's, in order, without gaps. */
export const migrations: readonly Migration[] = [
  spansMigration,
  spanCallerMigration,
  spanBatchesMigration,
  runsMigration,
  effectsMigration,
  artifactMakersMigration,
  runKeysMigration,
  sessionsMigration,
  spendingMigration,
  sessionTasksMigration,
  approvalPreviewsMigration,
  effectDispatchersMigration,
];
