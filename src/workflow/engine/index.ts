export type { CallInput, CallOutcome } from './activity-data.ts';
export type { ActivityRequest, RunActivity, RunScope } from './run-scope.ts';
export type {
  Amendment,
  CommitReport,
  JournalEntry,
  Lease,
  NewRunRecord,
  PrunedRun,
  Release,
  CommitDurability,
  RunChange,
  RunNotice,
  RunOwner,
  RunRecord,
  RunStore,
  SignalRecord,
  WholeRun,
} from './run-store.ts';
