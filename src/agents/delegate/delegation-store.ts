import type { Verdict } from '../../contract/agents/index.ts';
import type { Json } from '../../contract/plan/index.ts';

/** One try of one delegation: who was chosen, why, and what became of it. */
export interface DelegationRow {
  readonly callerId: string;
  /** Of the call that asked: the same for all tries, and after a crash. */
  readonly key: string;
  readonly attempt: number;
  /** The first delegation of the request, which all below it share. */
  readonly root: string;
  readonly parentRun: string | null;
  readonly parentStep: string | null;
  readonly agent: string;
  readonly version: string;
  readonly capability: string;
  /** Shortened. */
  readonly task: string;
  readonly decision: Json;
  readonly runId: string | null;
  readonly sessionId: string | null;
  readonly verdict: Verdict | 'running';
  readonly error: string | null;
  readonly result: Json;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
}

export type DelegationChange = Partial<
  Pick<DelegationRow, 'runId' | 'sessionId' | 'verdict' | 'error' | 'result' | 'endedAtMs'>
>;

export type DelegationPlace = Pick<DelegationRow, 'callerId' | 'key' | 'attempt'>;

export interface AgentTally {
  readonly agent: string;
  readonly version: string;
  readonly done: number;
  readonly failed: number;
  /** Of the last few that ended, 0 to 1. */
  readonly recent: number;
}

export const usageUnits = ['calls', 'rounds'] as const;
export type UsageUnit = (typeof usageUnits)[number];
export type Usage = Readonly<Record<UsageUnit, number>>;

/** One more of a unit for each task, where all of them have one left. */
export interface UsageRequest {
  readonly unit: UsageUnit;
  readonly tasks: readonly { readonly id: string; readonly limit: number }[];
  readonly nowMs: number;
}

/** Where delegations are kept. What was written is kept before these return. */
export interface DelegationStore {
  /**
   * Gives the row that is there where one is: of two that begin the same, the second sees the first. Undefined where
   * its root has so many already; no other row is added between the look and the write.
   */
  begin(row: DelegationRow, maxOfRoot: number): Promise<DelegationRow | undefined>;
  change(place: DelegationPlace, change: DelegationChange): Promise<void>;
  /** False where a task has none left: then nothing is counted. Of several at once, no more get one than there are. */
  use(callerId: string, request: UsageRequest): Promise<boolean>;
  /** In the order of the ids. */
  used(callerId: string, ids: readonly string[]): Promise<readonly Usage[]>;
  /** In the order they were made. */
  attempts(callerId: string, key: string): Promise<readonly DelegationRow[]>;
  /** Those a run made, and the one that made it. */
  ofRun(callerId: string, runId: string): Promise<readonly DelegationRow[]>;
  /** The last one that made this change of files. */
  ofChange(callerId: string, changeId: string): Promise<DelegationRow | undefined>;
  tally(callerId: string): Promise<readonly AgentTally[]>;
  /** How long tasks that ended took on average, by capability. */
  durations(callerId: string): Promise<ReadonlyMap<string, number>>;
  /** `name` or `name@version`. */
  disabled(callerId: string): Promise<readonly string[]>;
  setDisabled(callerId: string, agent: string, isDisabled: boolean): Promise<void>;
}
