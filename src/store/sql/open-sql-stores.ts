import { isGone, type Clock } from '../../kernel/index.ts';
import { SqlAnswerStore } from './sql-answer-store.ts';
import { SqlArtifactIndex } from './sql-artifact-index.ts';
import { SqlChoiceLog } from './sql-choice-log.ts';
import { SqlClientSessionStore } from './sql-client-session-store.ts';
import { SqlContextStore } from './sql-context-store.ts';
import { SqlCopyStore } from './sql-copy-store.ts';
import type { SqlDatabase } from './sql-database.ts';
import { SqlDelegationStore } from './sql-delegation-store.ts';
import { SqlExperienceStore } from './sql-experience-store.ts';
import { SqlFeedbackStore } from './sql-feedback-store.ts';
import { SqlInstanceStore } from './sql-instance-store.ts';
import { SqlKeyStore } from './sql-key-store.ts';
import { SqlLoginStore } from './sql-login-store.ts';
import { SqlMemoryItemStore, type MemoryDialect } from './sql-memory-item-store.ts';
import { SqlModelIndex } from './sql-model-index.ts';
import { SqlPreferenceStore } from './sql-preference-store.ts';
import { SqlSessionStore } from './sql-session-store.ts';

export interface SqlStoresOptions {
  readonly clock: Clock;
  /** See `SessionStoreOptions`. */
  readonly leaseClock: Clock | undefined;
  readonly memory: MemoryDialect;
}

/** Of MiniLM-L6-v2, which makes the vectors of memory items. */
const vectorDimensions = 384;
/** Decisions among agents and their outcomes, of each caller. */
const maxChoices = 100_000;

/** The ports that are the same in every database. */
export function openSqlStores(
  database: SqlDatabase,
  { clock, leaseClock, memory }: SqlStoresOptions,
) {
  return {
    answers: new SqlAnswerStore(database, { clock }),
    artifactIndex: new SqlArtifactIndex(database),
    clientSessions: new SqlClientSessionStore(database, { clock }),
    choices: new SqlChoiceLog(database, { maxEntries: maxChoices }),
    contexts: new SqlContextStore(database, { clock }),
    copies: new SqlCopyStore(database),
    delegations: new SqlDelegationStore(database),
    experience: new SqlExperienceStore(database),
    feedback: new SqlFeedbackStore(database),
    instances: new SqlInstanceStore(database, { clock }),
    keys: new SqlKeyStore(database),
    logins: new SqlLoginStore(database),
    memoryItems: new SqlMemoryItemStore(database, memory, { dimensions: vectorDimensions }),
    modelIndex: new SqlModelIndex(database),
    preferences: new SqlPreferenceStore(database),
    sessions: new SqlSessionStore(database, { leaseClock, isGone }),
  };
}
